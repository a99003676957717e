# Turns the comments of a header into those that doxygen reads: lines of `// text` before a declaration into `/** text */`,
# and `// text` behind one into `///< text`. Lines that are indented further, formulas and examples, stay as they are. The
# comment at the top is that of the file.
function end_lines() {
  if (shown) print "\\endverbatim"
  if (inside) print "*/"
  shown = inside = 0
}
/^ *\/\/( |$)/ {
  if (!inside) print "/**"
  inside = 1
  if (FNR == 1) {
    file = FILENAME
    sub(/^.*\/linkwright\//, "linkwright/", file)
    print "\\file " file
  }
  match($0, /^ */)
  text = substr($0, RLENGTH + 3)
  indented = text ~ /^   /
  if (indented && !shown) print "\\verbatim"
  if (!indented && shown) print "\\endverbatim"
  shown = indented
  if (!shown) gsub(/[\\@<>#%]/, "\\\\&", text)
  print text
  next
}
{ end_lines() }
/[;,{}] +\/\/ / && !/".*\/\/.*"/ { sub(/\/\/ /, "///< ") }
{ print }
