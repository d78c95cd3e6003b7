// The list of columns: which is the label, which are used, what is strange about them.
import { byId, counted, make } from "./dom.js";

const MOST_SHOWN = 300; // rows of the list; more make a browser slow
const LARGE = 200000; // rows from which on a run has a time limit unless it is taken away
const LIMIT = "60"; // seconds
let columns = [];
let rows = 0;
let label = null;
let used = new Set();

export function showColumns(table) {
  ({ columns, rows } = table);
  label = table.likely_label;
  used = new Set(columns.filter((one) => !one.left_out && !one.problem).map((one) => one.name));
  byId("table-notes").replaceChildren(...table.notes.map((note) => make("li", {}, note)));
  byId("column-tools").hidden = columns.length < 12;
  byId("filter").value = "";
  for (const field of document.querySelectorAll("select[data-columns]")) {
    const names = columns.map((one) => make("option", { value: one.name }, one.name));
    field.replaceChildren(make("option", { value: "" }, "no column"), ...names);
  }
  const limit = document.querySelector("input[name=max_seconds]");
  if (!limit.value && rows > LARGE) limit.value = LIMIT;
  draw();
}

// The columns that the table shares with others; the first that tells all rows apart, if any.
export function sharedColumns(names) {
  const shared = columns.filter((one) => names.includes(one.name));
  const key = shared.find((one) => one.distinct === rows);
  return { names: shared.map((one) => one.name), key: key ? key.name : "" };
}

export function chosenColumns() {
  const aside = [...document.querySelectorAll("select[data-aside]:enabled")].map((one) => one.value);
  const others = columns.filter((one) => one.name !== label && !aside.includes(one.name));
  return {
    label,
    drop: others.filter((one) => !used.has(one.name)).map((one) => one.name),
    keep: others.filter((one) => one.left_out && used.has(one.name)).map((one) => one.name),
    count: others.filter((one) => used.has(one.name)).length,
  };
}

function draw() {
  const wanted = byId("filter").value.trim().toLowerCase();
  const found = columns.filter((one) => one.name.toLowerCase().includes(wanted));
  found.sort((a, b) => (b.name === label) - (a.name === label));
  byId("column-rows").replaceChildren(...found.slice(0, MOST_SHOWN).map(row));
  const more = byId("more-columns");
  more.hidden = found.length <= MOST_SHOWN;
  more.textContent = `${counted(found.length - MOST_SHOWN, "more column")}: find them by name.`;
  changed();
}

function row(column) {
  const isLabel = column.name === label;
  const radio = make("input", {
    type: "radio", name: "label", checked: isLabel, disabled: Boolean(column.label_problem),
    "aria-label": `${column.name} is the label`, onchange: () => choose(column.name),
    title: column.label_problem,
  });
  const tick = make("input", {
    type: "checkbox", checked: !isLabel && used.has(column.name),
    disabled: isLabel || Boolean(column.problem), "aria-label": `Use ${column.name}`,
    onchange: (event) => {
      used[event.target.checked ? "add" : "delete"](column.name);
      changed();
    },
  });
  return make("tr", { className: isLabel ? "label" : "" },
    make("td", { "data-name": "label" }, radio),
    make("td", { "data-name": "use" }, tick),
    make("th", { scope: "row" }, column.name),
    make("td", { className: "kind", "data-name": "type" }, column.kind),
    number("different", column.distinct),
    number("missing", column.missing || null),
    make("td", { className: "remarks" }, ...remarks(column, isLabel)));
}

const number = (name, value) => make("td", {
  className: value === null ? "number nothing" : "number", "data-name": name,
}, value === null ? "" : value.toLocaleString("en"));

function remarks(column, isLabel) {
  const examples = make("div", { className: "examples" }, column.examples.join(", "));
  const why = column.problem || (column.left_out && `Left out unless ticked: ${column.left_out}.`);
  return [examples, why && !isLabel ? make("div", { className: "remark" }, why) : null];
}

function choose(name) {
  label = name;
  const place = byId("column-rows");
  for (const line of place.children) {
    const own = line.querySelector("th").textContent;
    const column = columns.find((one) => one.name === own);
    const isLabel = own === label;
    line.className = isLabel ? "label" : "";
    const tick = line.querySelector("input[type=checkbox]");
    tick.disabled = isLabel || Boolean(column.problem);
    tick.checked = !isLabel && used.has(own);
  }
  changed();
}

function tickAll(ticked) {
  const wanted = byId("filter").value.trim().toLowerCase();
  for (const one of columns) {
    if (!one.name.toLowerCase().includes(wanted) || one.problem) continue;
    if (ticked && !one.left_out) used.add(one.name);
    if (!ticked) used.delete(one.name);
  }
  draw();
}

export function changed() {
  const chosen = chosenColumns();
  const ready = chosen.label !== null && chosen.count > 0;
  byId("go").disabled = !ready;
  byId("go-text").textContent = ready
    ? `“${chosen.label}” from ${counted(chosen.count, "column")}`
    : chosen.label === null
      ? "Choose the label first."
      : "Tick at least one column.";
}

for (const field of document.querySelectorAll("select[data-aside]")) field.addEventListener("change", changed);
byId("filter").addEventListener("input", draw);
byId("all").addEventListener("click", () => tickAll(true));
byId("none").addEventListener("click", () => tickAll(false));
