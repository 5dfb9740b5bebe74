// Tabs, sorting, filtering, enlarging, saving and copying. The page can be read without any of it.
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
    const arrow = document.createElement("span");
    arrow.className = "arrow";
    (button.querySelector("span") ?? button).append(arrow);
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
    source.addEventListener("click", () => button.click());
    // the picture is in the page once: the link shares its address
    const save = document.createElement("a");
    save.className = "small";
    save.href = source.src;
    save.download = figure.dataset.file;
    save.textContent = `Save ${figure.dataset.file}`;
    const tools = document.createElement("p");
    tools.className = "tools";
    tools.append(button, save);
    source.after(tools);
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

// --- a table's columns, and its numbers for other programs

// what a reader sees of a cell: without words for screen readers
function shownText(cell) {
  const copy = cell.cloneNode(true);
  for (const spoken of copy.querySelectorAll(".spoken, .letters")) spoken.remove();
  const tags = Array.from(copy.querySelectorAll(".tag"));
  for (const tag of tags) tag.remove();
  const text = copy.textContent.trim().replace(/\s+/g, " ");
  const words = tags.map((tag) => tag.textContent).filter((word) => !text.includes(word));
  return words.length ? `${text} (${words.join(", ")})` : text;
}

function headingOf(cell) {
  return (cell.querySelector("span:not(.arrow)") ?? cell).textContent.trim();
}

function shownRows(table) {
  return [table.tHead.rows[0], ...table.tBodies[0].rows].filter((row) => !row.hidden);
}

function asMarkdown(table) {
  const lines = shownRows(table).map((row) => Array.from(row.cells).filter((cell) => !cell.hidden)
    .map((cell) => shownText(cell).replaceAll("|", "\\|")));
  const heads = Array.from(table.tHead.rows[0].cells).filter((cell) => !cell.hidden);
  const rule = heads.map((cell) => (cell.classList.contains("number") ? "---:" : "---"));
  return [lines[0], rule, ...lines.slice(1)].map((cells) => `| ${cells.join(" | ")} |`).join("\n") + "\n";
}

// full precision, and the limits of intervals in columns of their own
function asTabs(table) {
  const rows = shownRows(table);
  const columns = Array.from(rows[0].cells).map((cell, column) => ({
    column, shown: !cell.hidden, ranged: rows.some((row) => row.cells[column].dataset.low !== undefined),
  })).filter((one) => one.shown);
  const lines = rows.map((row, place) => columns.flatMap(({ column, ranged }) => {
    const cell = row.cells[column];
    const text = place === 0 ? headingOf(cell) : shownText(cell);
    if (place === 0) return ranged ? [text, `${text}, low`, `${text}, high`] : [text];
    const value = cell.dataset.value ?? (text === "\u2014" ? "" : text);
    return ranged ? [value, cell.dataset.low ?? "", cell.dataset.high ?? ""] : [value];
  }));
  return lines.map((cells) => cells.join("\t")).join("\n") + "\n";
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // no permission, or an old browser
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (!done) throw new Error("not copied");
  }
}

function makeColumnMenu(table) {
  const menu = document.createElement("details");
  const title = document.createElement("summary");
  menu.className = "columns";
  title.textContent = "Columns";
  menu.append(title);
  const heads = Array.from(table.tHead.rows[0].cells);
  heads.forEach((head, column) => {
    if (column === 0) return;
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.checked = head.dataset.optional === undefined;
    const show = () => {
      for (const row of table.rows) row.cells[column].hidden = !box.checked;
    };
    box.addEventListener("change", show);
    label.append(box, head.querySelector("span").textContent);
    menu.append(label);
    show();
  });
  return menu;
}

function makeTools(table) {
  const bar = document.createElement("div");
  const status = document.createElement("span");
  bar.className = "tools";
  status.setAttribute("role", "status");
  bar.append(makeColumnMenu(table));
  for (const [name, written] of [["Copy for a spreadsheet", asTabs], ["Copy as Markdown", asMarkdown]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "small";
    button.textContent = name;
    button.addEventListener("click", async () => {
      status.textContent = await copyText(written(table)).then(() => "Copied.", () => "The browser did not allow it.");
    });
    bar.append(button);
  }
  bar.append(status);
  table.closest(".scroll").before(bar);
}

// --- tabs: all of the page stays in the document, so that its links and the browser's search reach everything

const tabs = Array.from(document.querySelectorAll(".tab"));

function showTab(shown) {
  for (const tab of tabs) {
    if (tab === shown) tab.removeAttribute("hidden");
    else tab.setAttribute("hidden", "until-found");
  }
  for (const link of document.querySelectorAll(".tabs a")) {
    if (link.hash !== `#${shown.id}`) {
      link.removeAttribute("aria-current");
      continue;
    }
    link.setAttribute("aria-current", "page");
    const list = link.closest("ul");
    list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  }
}

// an address shows its tab, and opens what is folded around it
function openTarget() {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const tab = target && target.closest(".tab");
  showTab(tab || tabs[0]);
  if (!tab) return;
  for (let part = target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  if (target === tabs[0]) scrollTo(0, 0);
  else target.scrollIntoView();
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
// the browser's search has found something on another tab
document.addEventListener("beforematch", (event) => showTab(event.target.closest(".tab")));

for (const table of document.querySelectorAll("table[data-tools]")) makeTools(table);
for (const table of document.querySelectorAll("table[data-sortable]")) makeSortable(table);
for (const table of document.querySelectorAll("table[data-filter]")) makeFilter(table);
makeZoom(document.querySelectorAll("figure.paper"));
for (const block of document.querySelectorAll("pre.copy")) makeCopy(block);
openTarget();
