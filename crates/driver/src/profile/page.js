// Sorting: a click on a head sorts by its column, the next one the other way round.
for (const head of document.querySelectorAll("th button")) head.onclick = () => {
  const th = head.closest("th"), table = th.closest("table"), body = table.tBodies[0];
  const column = th.cellIndex, words = th.classList.contains("t");
  const down = th.getAttribute("aria-sort") ? th.getAttribute("aria-sort") !== "descending" : !words;
  for (const other of th.parentNode.cells) other.removeAttribute("aria-sort");
  th.setAttribute("aria-sort", down ? "descending" : "ascending");
  const value = (row) => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const order = (a, b) => words ? value(a).localeCompare(value(b)) : value(a) - value(b);
  body.append(...[...body.rows].sort((a, b) => down ? order(b, a) : order(a, b)));
};
// Hovering: the sample under the mouse, in words.
const amount = (n) => { let k = 0; while (n >= 1024 && k < 3) { n /= 1024; k++; } return (k ? n.toFixed(2) : n) + " " + ["B", "KiB", "MiB", "GiB"][k]; };
for (const svg of document.querySelectorAll("figure svg")) svg.onmousemove = (event) => {
  const box = svg.getBoundingClientRect(), x = (event.clientX - box.left) / box.width * WIDTH;
  if (x < LEFT || x > WIDTH - RIGHT) return;
  const time = svg.parentNode.classList.contains("by-time") ? 0 : 1;
  const wanted = (x - LEFT) / (WIDTH - LEFT - RIGHT) * svg.dataset.max;
  let s = SAMPLES[0];
  for (const other of SAMPLES) if (other[time] <= wanted) s = other;
  const parts = NAMES.map((name, k) => s[4 + k] ? `${name} ${amount(s[4 + k])}` : "").filter(Boolean);
  svg.closest("section").querySelector(".tip").textContent = `${(s[0] / 1e6).toFixed(2)} ms, ${amount(s[1])} allocated: reserved ${amount(s[2])} by the heap, ${amount(s[3])} by regions; live ` + (parts.join(", ") || "nothing");
  const cursor = svg.querySelector(".cursor");
  for (const [name, at] of [["x1", x], ["x2", x], ["y1", 12], ["y2", 254]]) cursor.setAttribute(name, at);
};
