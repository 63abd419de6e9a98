// Style and script of the HTML report.
#pragma once
#include <string_view>

namespace hallmark::bundle {

inline constexpr std::string_view report_style = R"css(
:root { --ink: #1a1a1a; --paper: #ffffff; --soft: #f2f2ee; --line: #c9c9c4; --good: #1b6e3c; --bad: #a3231f; --open: #8a5a00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e8e4; --paper: #17181a; --soft: #222427; --line: #44474b; --good: #6fcf97; --bad: #ff8a80; --open: #f2c14e; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 78rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; border-bottom: 1px solid var(--line); }
.card { background: var(--soft); border: 1px solid var(--line); border-radius: .4rem; padding: 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
th button { font: inherit; font-weight: bold; background: none; border: 0; color: inherit; cursor: pointer; padding: 0; }
td.n, th.n { text-align: right; }
.proved { color: var(--good); } .refuted { color: var(--bad); font-weight: bold; } .unrun { color: var(--open); font-weight: bold; }
pre { background: var(--soft); border: 1px solid var(--line); overflow: auto; max-height: 34rem; font-size: .8rem; line-height: 1.35; margin: 0; padding: .4rem 0; }
pre span { display: block; padding: 0 .6rem; } pre span[data-node].on { background: color-mix(in srgb, var(--open) 25%, transparent); }
pre i { display: inline-block; width: 6ch; font-style: normal; opacity: .65; }
.panes { display: grid; grid-template-columns: 1fr 1fr; gap: .8rem; } .panes > div { min-width: 0; }
code { font-size: .85em; overflow-wrap: anywhere; } details { margin: .3rem 0; }
input, select { font: inherit; padding: .2rem .4rem; background: var(--paper); color: inherit; border: 1px solid var(--line); }
@media (max-width: 60rem) { .panes { grid-template-columns: 1fr; } }
@media print { pre { max-height: none; overflow: visible; white-space: pre-wrap; } .controls { display: none; } body { max-width: none; } }
)css";

inline constexpr std::string_view report_script = R"js(
(function () {
  var table = document.getElementById('obligations'), body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
  var text = document.getElementById('find'), state = document.getElementById('state');
  function show() {
    var wanted = text.value.toLowerCase(), n = 0;
    rows.forEach(function (row) {
      var ok = (!state.value || row.dataset.state === state.value) && row.textContent.toLowerCase().indexOf(wanted) >= 0;
      row.hidden = !ok; if (ok) n++;
    });
    document.getElementById('shown').textContent = n + ' of ' + rows.length;
  }
  text.addEventListener('input', show); state.addEventListener('change', show);
  Array.prototype.forEach.call(table.tHead.rows[0].cells, function (cell, column) {
    cell.firstChild.addEventListener('click', function () {
      var down = cell.getAttribute('aria-sort') === 'ascending';
      Array.prototype.forEach.call(table.tHead.rows[0].cells, function (c) { c.removeAttribute('aria-sort'); });
      cell.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      rows.sort(function (a, b) {
        var x = a.cells[column].textContent, y = b.cells[column].textContent;
        return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
      });
      rows.forEach(function (row) { body.appendChild(row); });
    });
  });
  document.addEventListener('mouseover', function (event) {
    var line = event.target.closest ? event.target.closest('pre span') : null, node = line && line.dataset.node;
    Array.prototype.forEach.call(document.querySelectorAll('pre span[data-node]'), function (other) {
      other.classList.toggle('on', !!node && other.dataset.node === node);
    });
  });
  show();
})();
)js";

}  // namespace hallmark::bundle
