# What ./run and ./test share: packages present, preset built. Sourced, with $root set to the repository.
# All words of its own go to stderr. Where it cannot go on it exits with 4, the code for "toolchain".

say() { printf 'linkwright: %s\n' "$*" >&2; }

# The packages of the named sections of packages.txt.
list_packages() {
  local line section=
  while IFS= read -r line || [[ -n $line ]]; do
    case $line in
      '' | '#'*) ;;
      '['*']') section=${line:1:-1} ;;
      *) [[ " $* " == *" $section "* ]] && printf '%s\n' "$line" ;;
    esac
  done <"$root/cmake/packages.txt"
}

# give_up_on_packages WHY PACKAGES: the line that a person with the right to may type.
give_up_on_packages() {
  local who='as root' prefix=
  if ((EUID != 0)) && command -v sudo >/dev/null; then who='yourself' prefix='sudo '; fi
  say "$1. On Debian 12, type this $who:"
  printf '%sapt-get update && %sapt-get install -y --no-install-recommends %s\n' "$prefix" "$prefix" "${*:2}" >&2
  exit 4
}

# Installs what is missing of the named sections; sets $installed to those of all sections that are there, which decides
# what CMake will find. Does nothing where there is no dpkg: then CMake judges alone.
ensure_packages() {
  local -a wanted all missing=() as_root=()
  mapfile -t wanted < <(list_packages "$@")
  mapfile -t all < <(list_packages build test)
  installed=
  command -v dpkg-query >/dev/null || return 0

  query_installed() {
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${all[@]}" 2>/dev/null | sed -n 's/^installed //p' | sort -u | tr '\n' ' ')
  }
  query_installed
  local package
  for package in "${wanted[@]}"; do
    [[ " $installed" == *" $package "* ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0

  command -v apt-get >/dev/null || give_up_on_packages "packages are missing and there is no apt-get" "${missing[@]}"
  if ((EUID != 0)); then
    command -v sudo >/dev/null || give_up_on_packages "packages are missing, and installing them needs root" "${missing[@]}"
    as_root=(sudo)
    [[ -t 2 ]] || as_root+=(-n)  # nobody is there to type a password
    "${as_root[@]}" true || give_up_on_packages "packages are missing, and sudo was refused" "${missing[@]}"
  fi

  say "installing ${missing[*]}"
  local log
  log=$(mktemp)
  local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q)
  # Package lists may be absent or out of date; fetch them only if so.
  if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >"$log" 2>&1 </dev/null; then
    if ! { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1 </dev/null; then
      tail -n 20 "$log" >&2
      rm -f "$log"
      give_up_on_packages "apt-get failed" "${missing[@]}"
    fi
  fi
  rm -f "$log"
  query_installed
}

# Copies what a build prints to the log $1; says how far it is: on a terminal in one line, elsewhere now and then.
follow_build() {
  local log=$1 line next=$((SECONDS + 3)) shown=
  while IFS= read -r line; do
    printf '%s\n' "$line"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] || continue
    ((BASH_REMATCH[2] > 4)) || continue
    if [[ -t 2 ]]; then
      printf '\r\033[Klinkwright: building %d/%d' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" >&2
      shown=1
    elif ((SECONDS >= next)); then
      say "building ${BASH_REMATCH[1]}/${BASH_REMATCH[2]}"
      next=$((SECONDS + 30))
    fi
  done >>"$log"
  [[ -z $shown ]] || printf '\r\033[K' >&2
}

# build PRESET [CMAKE-ARGUMENTS]: configures where something changed that CMake cannot see, then builds. 1 on failure.
build() {
  local preset=$1 folder=$root/build/$1
  shift
  mkdir -p "$folder" || return 1
  local log=$folder/build.log stamp=$folder/configured.txt
  exec 9>"$folder/lock"
  flock 9  # one build at a time

  [[ -w ${HOME:-/nonexistent} ]] || export CCACHE_DISABLE=1
  local state="$root|$*|$installed|$(cksum <"$root/CMakePresets.json")"
  if [[ ! -f $folder/build.ninja || ! -f $stamp || $(<"$stamp") != "$state" ]]; then
    rm -f "$stamp"
    # fresh: a tree that was moved still builds its old place, and with another compiler CMake forgets what the preset says
    if ! cmake -S "$root" --preset "$preset" --fresh "$@" >"$log" 2>&1 </dev/null 9>&-; then
      cat "$log" >&2
      say "the configuration failed"
      command -v dpkg-query >/dev/null || give_up_on_packages "this may be for lack of packages" $(list_packages build)
      return 1
    fi
    printf '%s\n' "$state" >"$stamp"
  fi

  local status
  compile() {
    : >"$log"
    NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}" 2>&1 </dev/null 9>&- | follow_build "$log"
    status=${PIPESTATUS[0]}
  }
  compile
  # packages were upgraded: their headers are others, but older than what was compiled of them, so that ninja does not notice
  if ((status != 0)) && grep -qE 'since the precompiled header|PCH file' "$log"; then
    find "$folder" -name '*.pch' -delete
    compile
  fi
  exec 9>&-
  if ((status != 0)); then
    sed -n '/^FAILED:/,$p; /^ninja: error/p; /CMake Error/,$p' "$log" | head -n 100 >&2
    say "the build failed; all of its output is in $log"
    return 1
  fi
}
