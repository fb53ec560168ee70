"use strict";
// Without this script the page is complete. It adds sorting, a filter, and charts as files.

// Sorting: a button in each title of a column. Rows stay below the title of their group.
const UNITS = { k: 1e3, M: 1e6, G: 1e9, ns: 1e-9, "µs": 1e-6, ms: 1e-3, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
const SHADES = ["best", "equivalent", "undecided", "between", "worst", "invalid"];

// What a cell is sorted by: its place in the order of colours, its number, or its text.
function key(cell, table) {
  const text = cell.innerText.trim();
  if (table.classList.contains("standings") && SHADES.includes(cell.className)) return SHADES.indexOf(cell.className);
  const found = /^[<>[]?\s*([-−]?\d[\d,]*(?:\.\d+)?)\s?(ns|µs|ms|KiB|MiB|GiB|[kMG])?(?![a-z])/.exec(text);
  return found ? found[1].replace("−", "-").replaceAll(",", "") * (UNITS[found[2]] || 1) : text;
}

// Numbers come before texts, and what is missing comes last in both directions.
function compare(one, other, sign) {
  const missing = (value) => value === "–" || value === "";
  if (missing(one) || missing(other)) return missing(one) - missing(other);
  if (typeof one === typeof other) return sign * (typeof one === "number" ? one - other : one.localeCompare(other));
  return typeof one === "number" ? -1 : 1;
}

function sort(table, head, column) {
  const sign = head.ariaSort === "ascending" ? -1 : 1;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.ariaSort = sign === 1 ? "ascending" : "descending";
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.matches(".heading"));
    const keys = new Map(rows.map((row) => [row, key(row.cells[column], table)]));
    body.append(...rows.sort((one, other) => compare(keys.get(one), keys.get(other), sign)));
  }
}

function addSorting(table) {
  if (table.classList.contains("grouped")) return;
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.title = "sort by this column";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sort(table, head, column));
    head.append(button);
  });
}

// A filter above a long table: rows without the words are hidden. Escape empties it.
function addFilter(table) {
  const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => !row.matches(".heading"));
  if (rows.length < 8 || table.classList.contains("grouped")) return;
  const label = document.createElement("label");
  const input = Object.assign(document.createElement("input"), { type: "search" });
  const count = Object.assign(document.createElement("output"), { className: "why" });
  label.className = "filter";
  label.append("Filter rows ", input);
  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.innerText.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
    for (const body of table.tBodies) {
      const heading = body.querySelector(".heading");
      if (heading) heading.hidden = [...body.rows].every((row) => row === heading || row.hidden);
    }
    count.value = input.value ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
  };
  input.addEventListener("input", filter);
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    input.value = "";
    filter();
  });
  const line = document.createElement("div");
  line.append(label, " ", count);
  table.parentElement.before(line);
}

// A chart as a file has its colours in it, since the style sheet stays behind.
const PROPERTIES = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap",
  "stroke-opacity", "opacity", "font-size", "font-weight", "font-family"];

function drawing(svg) {
  const copy = svg.cloneNode(true);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const originals = svg.querySelectorAll("*");
  copy.querySelectorAll("*").forEach((element, index) => {
    const style = getComputedStyle(originals[index]);
    for (const name of PROPERTIES) element.setAttribute(name, style.getPropertyValue(name));
    element.removeAttribute("class");
  });
  const paper = document.createElementNS(copy.namespaceURI, "rect");
  const attributes = { x: -12, y: -12, width: width + 24, height: height + 24 };
  for (const name in attributes) paper.setAttribute(name, attributes[name]);
  paper.setAttribute("fill", getComputedStyle(document.body).backgroundColor);
  copy.prepend(paper);
  copy.setAttribute("viewBox", `-12 -12 ${width + 24} ${height + 24}`);
  copy.setAttribute("width", width + 24);
  copy.setAttribute("height", height + 24);
  return new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" });
}

async function picture(blob) {
  const image = new Image();
  const address = URL.createObjectURL(blob);
  await new Promise((done, failed) => Object.assign(image, { onload: done, onerror: failed, src: address }));
  URL.revokeObjectURL(address);
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function save(blob, name) {
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// `create-fsync-1`: the title above a chart and the chart's number below it.
function nameOf(svg) {
  const part = svg.closest("article, section");
  const title = part.querySelector("h2, h3").firstChild.textContent;
  const number = [...part.querySelectorAll("figure svg")].indexOf(svg) + 1;
  return `${title.trim().replace(/[^\w.-]+/g, "-")}-${number}`;
}

function addSaving(svg) {
  const line = Object.assign(document.createElement("div"), { className: "save" });
  const kinds = { SVG: (blob) => blob, PNG: picture };
  for (const kind in kinds) {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: kind });
    button.setAttribute("aria-label", `save the chart ${nameOf(svg)} as ${kind}`);
    button.addEventListener("click", async () => {
      save(await kinds[kind](drawing(svg)), `${nameOf(svg)}.${kind.toLowerCase()}`);
    });
    line.append(button);
  }
  svg.after(line);
}

// A link to a row opens what it is folded in. Browsers that do that themselves have done it already.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target; part; part = part.parentElement) if (part.matches("details")) part.open = true;
  target?.scrollIntoView();
}

// A table that is as wide as its box needs no hint that it scrolls, and a box that scrolls can have the focus.
function measure() {
  for (const box of document.querySelectorAll(".wide")) {
    const scrolls = box.scrollWidth > box.clientWidth + 1;
    box.classList.remove("many");
    box.classList.toggle("scrolls", scrolls);
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

document.querySelectorAll("table").forEach(addSorting);
document.querySelectorAll("table").forEach(addFilter);
document.querySelectorAll("figure svg").forEach(addSaving);
addEventListener("hashchange", reveal);
addEventListener("resize", measure);
document.addEventListener("toggle", measure, true);
measure();
if (location.hash) reveal();
