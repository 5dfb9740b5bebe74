// Sorting, filtering, enlarging and copying. The page can be read without any of it.
"use strict";

function sortKey(row, column) {
  const cell = row.cells[column];
  const value = cell.dataset.value;
  return value === undefined ? cell.textContent.trim() : Number(value);
}

function compare(first, second) {
  const numbers = typeof first === "number" && typeof second === "number";
  if (numbers) return first - second;
  return String(first).localeCompare(String(second), "en", { numeric: true });
}

// cells without a number stay below, whichever way the column is sorted
function isMissing(row, column, numeric) {
  return numeric && row.cells[column].dataset.value === undefined;
}

function sortTable(table, header, column) {
  const body = table.tBodies[0];
  const numeric = header.classList.contains("number");
  const before = header.getAttribute("aria-sort");
  // numbers start with the highest, texts with A
  const next = before === null ? (numeric ? "descending" : "ascending")
    : before === "descending" ? "ascending" : "descending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", next);
  const sign = next === "ascending" ? 1 : -1;
  const rows = Array.from(body.rows);
  rows.sort((a, b) => {
    const gaps = isMissing(a, column, numeric) - isMissing(b, column, numeric);
    return gaps || sign * compare(sortKey(a, column), sortKey(b, column));
  });
  body.append(...rows);
}

function makeSortable(table) {
  Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...header.childNodes);
    button.title = "Sort by this column";
    button.addEventListener("click", () => sortTable(table, header, column));
    header.append(button);
  });
}

function makeFilter(table) {
  const label = document.createElement("label");
  const input = document.createElement("input");
  const status = document.createElement("span");
  label.className = "filter";
  input.type = "search";
  status.setAttribute("role", "status");
  label.append(table.dataset.filter, input, status);
  table.closest(".scroll").before(label);
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase();
    const rows = Array.from(table.tBodies[0].rows);
    for (const row of rows) {
      const words = Array.from(row.cells).slice(0, 3).map((cell) => cell.textContent).join(" ");
      row.hidden = !words.toLowerCase().includes(wanted);
    }
    const shown = rows.filter((row) => !row.hidden).length;
    status.textContent = wanted ? `${shown} of ${rows.length}` : "";
    // the average is that of all tasks, not of those shown
    if (table.tFoot) table.tFoot.hidden = wanted !== "";
  });
}

function makeZoom(figures) {
  const dialog = document.createElement("dialog");
  const image = document.createElement("img");
  const close = document.createElement("button");
  dialog.className = "zoom";
  dialog.setAttribute("aria-label", "Enlarged figure");
  close.type = "button";
  close.className = "small";
  close.textContent = "Close";
  close.addEventListener("click", () => dialog.close());
  dialog.append(close, image);
  document.body.append(dialog);
  for (const figure of figures) {
    const button = document.createElement("button");
    const source = figure.querySelector("img");
    button.type = "button";
    button.className = "small";
    button.textContent = "Enlarge";
    button.addEventListener("click", () => {
      image.src = source.src;
      image.alt = source.alt;
      dialog.showModal();
    });
    source.after(button);
  }
}

function makeCopy(block) {
  const frame = document.createElement("div");
  const button = document.createElement("button");
  frame.className = "copied";
  button.type = "button";
  button.className = "small";
  button.textContent = "Select";
  button.addEventListener("click", () => getSelection().selectAllChildren(block));
  block.replaceWith(frame);
  frame.append(block, button);
}

// a link to a task must show the task
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target && target.tagName === "DETAILS") {
    target.open = true;
    target.scrollIntoView();
  }
}

let openedForPrint = [];
addEventListener("beforeprint", () => {
  // abusive texts are printed only by those who opened them
  openedForPrint = Array.from(document.querySelectorAll("details:not([open]):not(.abusive)"));
  for (const item of openedForPrint) item.open = true;
});
addEventListener("afterprint", () => {
  for (const item of openedForPrint) item.open = false;
});
addEventListener("hashchange", openTarget);

for (const table of document.querySelectorAll("table[data-sortable]")) makeSortable(table);
for (const table of document.querySelectorAll("table[data-filter]")) makeFilter(table);
makeZoom(document.querySelectorAll("figure.paper"));
for (const block of document.querySelectorAll("pre.copy")) makeCopy(block);
openTarget();
