#include "gantt.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "../base/svg.hpp"
#include "../base/text.hpp"
#include "choice.hpp"

namespace lw {
namespace {

constexpr double kLeft = 54.0, kRight = 22.0, kTop = 74.0;
constexpr std::size_t kMostArrows = 80;  // if there are more, only those on the critical path are drawn
constexpr const char* kCritical = "#D55E00";
constexpr const char* kPlain = "#0072B2";
constexpr const char* kMessage = "#009E73";

struct Arrow {
  const Placement *from, *to;
  bool critical;
};

// The contents of the picture and their positions.
class Chart {
 public:
  Chart(const TaskGraph& graph, const Machine& machine, const Schedule& schedule, const std::string& of, double width)
      : of_what_(of.empty() ? graph.name() : of),
        graph_(graph),
        machine_(machine),
        schedule_(schedule),
        width_(width),
        of_(at(graph.size()), nullptr),
        critical_(at(graph.size()), false) {
    end_ = schedule.makespan() > 0.0 ? schedule.makespan() : 1.0;
    unit_ = time_unit(machine, end_);
    row_ = schedule.processors <= 8 ? 40.0 : schedule.processors <= 20 ? 28.0 : 18.0;
    bar_ = 0.7 * row_;
    for (const Placement& p : schedule.placements) of_[at(p.task)] = &p;
    const std::vector<int> way = critical_tasks(graph, machine, schedule);
    for (const int t : way) critical_[at(t)] = true;
    find_messages(way);
  }

  double height() const { return bottom() + 84.0; }

  std::string picture() const {
    std::string out = fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
        "role='img' color='#222' "
        "fill='currentColor' font-family='system-ui, Helvetica, Arial, sans-serif' "
        "font-size='12'>\n<title>{2}</title>\n"
        "<defs><pattern id='idle' width='6' height='6' patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
        "<line x1='0' y1='0' x2='0' y2='6' stroke='currentColor' stroke-opacity='0.28' stroke-width='1.2'/></pattern>\n"
        "<marker id='head' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='6' markerHeight='6' orient='auto'>"
        "<path d='M0 0.6L7.5 4L0 7.4z' fill='{3}'/></marker></defs>\n",
        width_, height(), escape_xml(title()), kMessage);
    return out + heading() + axis() + rows() + tasks() + arrows() + legend() + "</svg>\n";
  }

  std::string title() const {
    return fmt::format("{} on {}, {} by {}", of_what_, machine_.name, counted(at(schedule_.processors), "processor"),
                       schedule_.method);
  }
  bool is_critical(int task) const { return critical_[at(task)]; }
  std::string written(double time) const { return time_text(machine_, time); }

 private:
  double x(double time) const { return kLeft + time / end_ * (width_ - kLeft - kRight); }
  double y(int processor) const { return kTop + processor * row_; }
  double bottom() const { return y(schedule_.processors); }

  // Each arrow points to the next task of the critical path, or else to the first reader.
  void find_messages(const std::vector<int>& way) {
    std::vector<int> next(of_.size(), -1);
    for (std::size_t k = 1; k < way.size(); ++k) next[at(way[k - 1])] = way[k];
    for (const Message& m : messages(graph_, schedule_)) {
      const int after = next[at(m.from)];
      const bool critical = std::find(m.readers.begin(), m.readers.end(), after) != m.readers.end();
      arrows_.push_back({of_[at(m.from)], of_[at(critical ? after : m.readers.front())], critical});
    }
  }

  std::string heading() const {
    const Figures f = figures(graph_, machine_, schedule_);
    const std::string bound =
        schedule_.proven_optimal ? "the shortest there is" : fmt::format("bound {}", written(schedule_.lower_bound));
    return fmt::format(
        "<text x='{0}' y='27' font-size='16' font-weight='600'>{1}</text>\n<text x='{0}' y='48' "
        "fill-opacity='0.75'>{2}, "
        "makespan {3} ({4}), speed-up {5:.2f}, efficiency {6:.0f} %</text>\n",
        kLeft, escape_xml(title()), counted(at(graph_.size()), "task"), written(f.makespan), bound, f.speedup,
        100.0 * f.efficiency);
  }

  std::string axis() const {
    std::string out;
    const std::vector<double> ticks = round_ticks(0.0, end_ / unit_.size, static_cast<int>(width_ / 110.0));
    const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1.0;
    for (const double tick : ticks) {
      const double at = tick * unit_.size;
      if (at > end_ * (1.0 + 1e-9)) break;
      out += fmt::format(
          "<line x1='{0:.1f}' y1='{1:.1f}' x2='{0:.1f}' y2='{2:.1f}' stroke='currentColor' stroke-opacity='0.14'/>\n",
          x(at), kTop - 4.0, bottom() + 3.0);
      const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
      out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>{:.{}f}</text>\n", x(at), bottom() + 18.0,
                         tick, decimals);
    }
    return out + fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle'>time ({})</text>\n",
                             (kLeft + width_ - kRight) / 2.0, bottom() + 37.0, unit_.name);
  }

  std::string rows() const {
    std::string out;
    for (int p = 0; p < schedule_.processors; ++p) {
      const double top = y(p) + (row_ - bar_) / 2.0;
      out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='end' font-weight='600'>{}</text>\n", kLeft - 12.0,
                         top + bar_ / 2.0 + 4.0, p + 1);
      // the whole row is idle time; tasks are drawn over it
      out += fmt::format("<rect x='{:.1f}' y='{:.1f}' width='{:.1f}' height='{:.1f}' fill='url(#idle)'/>\n", x(0.0),
                         top, x(end_) - x(0.0), bar_);
    }
    return out + fmt::format(
                     "<text transform='translate(14 {:.1f}) rotate(-90)' text-anchor='middle' "
                     "fill-opacity='0.75'>processor</text>\n",
                     (kTop + bottom()) / 2.0);
  }

  std::string tasks() const {
    std::string out;
    for (const Placement& p : schedule_.placements) {
      const Task& task = graph_[p.task];
      const double left = x(p.start), wide = std::max(0.6, x(p.finish) - left),
                   top = y(p.processor) + (row_ - bar_) / 2.0;
      const char* colour = is_critical(p.task) ? kCritical : kPlain;
      out += fmt::format("<g class='task' data-task='{}'><title>{}: {}</title>", p.task, escape_xml(task.name),
                         escape_xml(task.text));
      // a background that hides the hatching, on any page
      out += fmt::format(
          "<rect class='ground' x='{0:.2f}' y='{1:.1f}' width='{2:.2f}' height='{3:.1f}' fill='#fff'/>"
          "<rect class='bar' x='{0:.2f}' y='{1:.1f}' width='{2:.2f}' height='{3:.1f}' fill='{4}' fill-opacity='{5}' "
          "stroke='{4}' "
          "stroke-width='{6}'/>",
          left, top, wide, bar_, colour, is_critical(p.task) ? 0.62 : 0.26, wide > 3.0 ? 0.9 : 0.3);
      const double room = wide - 5.0, size = bar_ >= 18.0 ? 10.5 : 8.5;
      if (static_cast<double>(display_width(task.name)) * size * 0.56 <= room) {
        out += fmt::format("<text x='{:.1f}' y='{:.1f}' text-anchor='middle' font-size='{}' fill='#111'>{}</text>",
                           left + wide / 2.0, top + bar_ / 2.0 + 3.6, size, escape_xml(task.name));
      }
      out += "</g>\n";
    }
    return out;
  }

  bool shows_all() const { return arrows_.size() <= kMostArrows; }

  std::string arrows() const {
    std::string out;
    for (const Arrow& m : arrows_) {
      if (!shows_all() && !m.critical) continue;
      const bool down = m.to->processor > m.from->processor;
      const double x1 = x(m.from->finish), x2 = x(m.to->start);
      const double half = (row_ + (down ? bar_ : -bar_)) / 2.0, other = (row_ + (down ? -bar_ : bar_)) / 2.0;
      const double y1 = y(m.from->processor) + half, y2 = y(m.to->processor) + other, bend = 0.45 * (y2 - y1);
      out += fmt::format(
          "<path d='M{0:.1f} {1:.1f}C{0:.1f} {2:.1f} {3:.1f} {4:.1f} {3:.1f} {5:.1f}' fill='none' stroke='{6}' "
          "stroke-width='{7}' "
          "stroke-opacity='{8}' marker-end='url(#head)'/>\n",
          x1, y1, y1 + bend, x2, y2 - bend, y2, kMessage, m.critical ? 1.7 : 1.0, m.critical ? 0.95 : 0.5);
    }
    return out;
  }

  std::string legend() const {
    double at = kLeft;
    const double level = bottom() + 64.0;
    std::string out;
    const auto entry = [&](const std::string& mark, const std::string& words) {
      out += fmt::format("<g transform='translate({:.1f} {:.1f})'>{}<text x='30' y='4'>{}</text></g>\n", at, level,
                         mark, escape_xml(words));
      at += 52.0 + 6.3 * static_cast<double>(display_width(words));
    };
    const auto box = [](const char* colour, double opacity) {
      return fmt::format("<rect x='0' y='-7' width='22' height='14' fill='{0}' fill-opacity='{1}' stroke='{0}'/>",
                         colour, opacity);
    };
    entry(box(kPlain, 0.26), "task");
    entry(box(kCritical, 0.62), "task on the critical path");
    entry("<rect x='0' y='-7' width='22' height='14' fill='url(#idle)'/>", "idle");
    if (!arrows_.empty()) {
      entry(fmt::format("<line x1='0' y1='0' x2='20' y2='0' stroke='{}' stroke-width='1.5' marker-end='url(#head)'/>",
                        kMessage),
            shows_all() ? counted(arrows_.size(), "message")
                        : fmt::format("message ({} in all: those on the critical path are shown)", arrows_.size()));
    }
    return out;
  }

  std::string of_what_;
  const TaskGraph& graph_;
  const Machine& machine_;
  const Schedule& schedule_;
  double width_, end_ = 1.0, row_ = 40.0, bar_ = 28.0;
  TimeUnit unit_;
  std::vector<const Placement*> of_;  // by task
  std::vector<bool> critical_;
  std::vector<Arrow> arrows_;
};

// A string literal in a script: no character of the text ends the string or the script.
std::string in_script(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&')
      out += fmt::format("\\u{:04x}", byte);
    else
      out += c;
  }
  return out + "\"";
}

constexpr const char* kStyle = R"(
  :root { color-scheme: light dark; --ground: #fff; --text: #222; --faint: #666; --line: #ddd; }
  @media (prefers-color-scheme: dark) { :root { --ground: #16181c; --text: #e6e6e6; --faint: #9aa; --line: #333; } }
  body { margin: 0; font: 14px/1.5 system-ui, Helvetica, Arial, sans-serif; background: var(--ground); color: var(--text); }
  #chart { overflow-x: auto; padding: 8px 0; border-bottom: 1px solid var(--line); }
  #chart svg { color: var(--text); display: block; }
  .ground { fill: var(--ground); }
  .task { cursor: pointer; }
  .task text { fill: var(--text); pointer-events: none; }
  svg.chosen .task { opacity: .22; }
  svg.chosen .task.self, svg.chosen .task.before, svg.chosen .task.after { opacity: 1; }
  .task.self .bar { stroke: var(--text); stroke-width: 2.4; }
  .task.before .bar { fill: #CC79A7; fill-opacity: .75; stroke: #CC79A7; }
  .task.after .bar { fill: #009E73; fill-opacity: .6; stroke: #009E73; }
  svg.chosen > path { opacity: .1; }
  #ties path { fill: none; stroke-width: 1.4; }
  #about { padding: 14px 54px 40px; max-width: 1000px; min-height: 11em; }
  #about h2 { font-size: 16px; margin: 0 0 2px; }
  #about code { font: 13px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
  #about .faint { color: var(--faint); }
  #about .before { border-left: 4px solid #CC79A7; padding-left: 10px; }
  #about .after { border-left: 4px solid #009E73; padding-left: 10px; }
  #about p { margin: 8px 0; }
)";

constexpr const char* kScript = R"(
  const svg = document.querySelector('#chart svg'), about = document.getElementById('about'), first = about.innerHTML;
  const groups = new Map([...document.querySelectorAll('.task')].map(g => [Number(g.dataset.task), g]));
  const ties = document.createElementNS('http://www.w3.org/2000/svg', 'g');
  ties.id = 'ties';
  svg.append(ties);
  groups.forEach(g => { g.querySelector('title').remove(); g.tabIndex = 0; });
  let pinned = -1;
  const middle = t => { const b = groups.get(t).querySelector('.bar').getBBox(); return b; };
  const tie = (from, to, colour) => {
    if (!groups.has(from) || !groups.has(to)) return;
    const a = middle(from), b = middle(to), p = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    const x1 = a.x + a.width, y1 = a.y + a.height / 2, x2 = b.x, y2 = b.y + b.height / 2, bend = Math.max(12, (x2 - x1) / 2);
    p.setAttribute('d', `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`);
    p.setAttribute('stroke', colour);
    ties.append(p);
  };
  const element = (name, text, type) => {
    const e = document.createElement(name);
    e.textContent = text;
    if (type) e.className = type;
    return e;
  };
  const clear = () => {
    svg.classList.remove('chosen');
    groups.forEach(g => g.classList.remove('self', 'before', 'after'));
    ties.replaceChildren();
    about.innerHTML = first;
  };
  const names = list => list.map(([t, bytes]) => `${tasks[t].name} (${bytes} bytes)`).join(', ');
  const show = t => {
    clear();
    const task = tasks[t];
    svg.classList.add('chosen');
    groups.get(t).classList.add('self');
    task.before.forEach(([b]) => { groups.get(b)?.classList.add('before'); tie(b, t, '#CC79A7'); });
    task.after.forEach(([a]) => { groups.get(a)?.classList.add('after'); tie(t, a, '#009E73'); });
    const code = document.createElement('p');
    task.text.split('; ').forEach(line => { code.append(element('code', line), document.createElement('br')); });
    about.replaceChildren(element('h2', task.name), element('span', task.when, 'faint'), code,
      element('p', task.before.length ? 'waits for ' + names(task.before) : 'waits for inputs only', 'before'),
      element('p', task.after.length ? 'is read by ' + names(task.after) : 'is read by no other task: it is a result', 'after'));
  };
  groups.forEach((g, t) => {
    g.addEventListener('mouseenter', () => { if (pinned < 0) show(t); });
    g.addEventListener('mouseleave', () => { if (pinned < 0) clear(); });
    g.addEventListener('focus', () => { if (pinned < 0) show(t); });
    g.addEventListener('click', e => { e.stopPropagation(); pinned = pinned === t ? -1 : t; show(t); });
  });
  document.addEventListener('click', () => { pinned = -1; clear(); });
  document.addEventListener('keydown', e => { if (e.key === 'Escape') { pinned = -1; clear(); } });
)";

std::string list_of(const std::vector<Dependence>& list) {
  std::string out = "[";
  for (const Dependence& d : list) out += fmt::format("{}[{},{}]", out.size() > 1 ? "," : "", d.task, d.bytes);
  return out + "]";
}

}  // namespace

std::string gantt_svg(const TaskGraph& graph, const Machine& machine, const Schedule& schedule, const std::string& of) {
  return Chart(graph, machine, schedule, of, 1180.0).picture();
}

std::string gantt_html(const TaskGraph& graph, const Machine& machine, const Schedule& schedule,
                       const std::string& of) {
  // wide enough to point at single tasks; the page scrolls
  const double tasks_a_row = static_cast<double>(schedule.placements.size()) / std::max(1, schedule.processors);
  const Chart chart(graph, machine, schedule, of, std::clamp(26.0 * tasks_a_row, 1180.0, 12000.0));
  std::string data = "[";
  std::vector<const Placement*> placed(at(graph.size()), nullptr);
  for (const Placement& p : schedule.placements) placed[at(p.task)] = &p;
  for (int t = 0; t < graph.size(); ++t) {
    const Placement* p = placed[at(t)];
    const std::string when =
        p == nullptr ? "is not placed"
                     : fmt::format("processor {}, {} to {}{}", p->processor + 1, chart.written(p->start),
                                   chart.written(p->finish), chart.is_critical(t) ? ", on the critical path" : "");
    data +=
        fmt::format("{}{{name:{},text:{},when:{},before:{},after:{}}}", t > 0 ? ",\n" : "\n", in_script(graph[t].name),
                    in_script(graph[t].text), in_script(when), list_of(graph.before(t)), list_of(graph.after(t)));
  }
  data += "\n]";
  return fmt::format(
      "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n<meta name='viewport' "
      "content='width=device-width, initial-scale=1'>\n"
      "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<div id='chart'>\n{}</div>\n<div id='about'><span "
      "class='faint'>Point at a task, or select it with Tab, to see what it computes, what it waits for and "
      "which tasks read it. A click keeps the selection, Escape clears "
      "it.</span></div>\n<script>\n  const tasks = {};\n{}</script>\n</body>\n</html>\n",
      escape_xml(chart.title()), kStyle, chart.picture(), data, kScript);
}

std::string gantt_csv(const TaskGraph& graph, const Schedule& schedule) {
  const auto quoted = [](const std::string& text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
  };
  std::string out =
      "task,name,processor,start,finish,multiplications,additions,divisions,roots,trigonometric,comparisons,waits_for,"
      "computes\n";
  for (const Placement& p : schedule.placements) {
    const Task& task = graph[p.task];
    const OperationCount& w = task.work;
    std::string before;
    for (const Dependence& d : graph.before(p.task)) before += (before.empty() ? "" : " ") + std::to_string(d.task + 1);
    out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{}\n", p.task + 1, quoted(task.name), p.processor + 1,
                       p.start, p.finish, w.multiplications, w.additions, w.divisions, w.roots, w.trigonometric,
                       w.comparisons, quoted(before), quoted(task.text));
  }
  return out;
}

}  // namespace lw
