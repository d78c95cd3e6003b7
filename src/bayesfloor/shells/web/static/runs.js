// The list of runs: their progress and answers, the report that is read, and comparisons.
import * as api from "./api.js";
import { byId, make, say, showProblem } from "./dom.js";

const drawn = new Map(); // id of a run: what its card was made of, and the card
let reading = null;

export function showRuns(runs, refresh) {
  byId("runs").hidden = runs.length === 0;
  const list = byId("run-list");
  for (const [id, one] of drawn) {
    if (!runs.some((run) => run.id === id)) {
      one.card.remove();
      drawn.delete(id);
      if (reading === id) closeReport();
    }
  }
  for (const run of runs) {
    const before = drawn.get(run.id);
    if (before && before.state === run.state) {
      if (!run.summary) tellProgress(before.card, run);
      continue;
    }
    const card = makeCard(run, refresh);
    if (before) replace(before.card, card);
    else list.prepend(card);
    if (before) announce(run);
    drawn.set(run.id, { state: run.state, card });
    if (before && run.state === "done") read(run);
  }
  offerComparison(runs.filter((run) => run.state === "done"));
}

function replace(old, card) {
  const focused = old.contains(document.activeElement);
  old.replaceWith(card);
  if (focused) card.querySelector("button, a")?.focus();
}

function announce(run) {
  const words = { done: run.summary?.sentence, failed: run.problem, cancelled: "Cancelled." };
  if (words[run.state]) say(`Run ${run.number}: ${words[run.state]}`);
}

function makeCard(run, refresh) {
  const remove = (text) => make("button", {
    type: "button", onclick: () => api.removeRun(run.id).then(refresh, (p) => showProblem(p.message)),
    "aria-label": `${text} run ${run.number}`,
  }, text);
  const card = make("li", { className: `run ${run.state}` }, make("h3", {}, run.title));
  if (run.state === "queued" || run.state === "running") {
    card.append(make("div", { className: "progress" },
      make("progress", { "aria-label": `Progress of run ${run.number}` }), make("span"),
      remove("Cancel")));
    tellProgress(card, run);
  } else if (run.state === "done") {
    card.append(...answer(run.summary), make("div", { className: "buttons" },
      make("button", { type: "button", onclick: () => read(run, true) }, "Read"),
      make("a", { href: `${api.reportAddress(run.id)}?download`, download: "" }, "Download the report"),
      remove("Remove")));
  } else {
    card.append(make("p", {}, run.state === "failed" ? run.problem : "Cancelled."),
      make("div", { className: "buttons" }, remove("Remove")));
  }
  return card;
}

function tellProgress(card, run) {
  const bar = card.querySelector("progress");
  if (!bar) return;
  const waiting = run.before === 1 ? "1 run is served first" : `${run.before} runs are served first`;
  const text = run.state === "queued" ? (run.before ? `In the queue: ${waiting}` : "In the queue")
    : run.doing || "Starting";
  if (run.state === "running" && run.share > 0) bar.value = run.share;
  else bar.removeAttribute("value");
  const place = bar.nextElementSibling;
  if (place.textContent !== text) place.textContent = text;
}

function answer(summary) {
  const verdicts = summary.headings.map((text) => make("p", { className: "verdict" }, text));
  const cautions = summary.cautions.map((text) => make("p", { className: "caution" }, `Check first: ${text}`));
  return [...verdicts, make("p", {}, summary.sentence), ...cautions, ...scale(summary)];
}

function scale(summary, most = summary.largest_class) {
  const [low, high] = summary.interval;
  const rises = summary.shown_as === "accuracy";
  const place = (error) => 100 * Math.min(1, error / most);
  const span = make("span");
  const mark = make("i");
  const from = rises ? 100 - place(high) : place(low);
  span.style.left = `${from}%`;
  span.style.width = `${place(high) - place(low)}%`;
  mark.style.left = `${rises ? 100 - place(summary.estimate) : place(summary.estimate)}%`;
  const ends = [rises ? 1 - most : 0, rises ? 1 : most].map((x) => `${(100 * x).toFixed(x % 1 ? 1 : 0)}%`);
  return [
    make("div", { className: "bar", "aria-hidden": "true" }, span, mark),
    make("div", { className: "ends", "aria-hidden": "true" }, make("span", {}, ends[0]), make("span", {}, ends[1])),
  ];
}

function read(run, asked = false) {
  reading = run.id;
  byId("report").hidden = false;
  byId("report-heading").textContent = `Report of run ${run.number}`;
  const frame = byId("report-frame");
  frame.onload = () => fit(frame);
  frame.src = api.reportAddress(run.id);
  if (asked) byId("report-heading").focus();
}

function fit(frame) {
  const inner = frame.contentDocument?.documentElement;
  if (!inner) return;
  const set = () => { frame.style.height = `${inner.querySelector("main").scrollHeight + 8}px`; };
  set();
  new ResizeObserver(set).observe(frame);
}

function closeReport() {
  reading = null;
  byId("report").hidden = true;
  byId("report-frame").removeAttribute("src");
}

let offered = "";
let compared = [];

function offerComparison(done) {
  byId("compare-form").hidden = done.length < 2;
  const now = done.map((run) => run.id).join();
  if (now === offered) return;
  offered = now;
  compared = done;
  byId("comparison").hidden = true;
  for (const [select, at] of [["first-run", -2], ["second-run", -1]]) {
    const options = done.map((run) => make("option", { value: run.id }, run.title));
    byId(select).replaceChildren(...options);
    if (done.length > 1) byId(select).value = done.at(at).id;
  }
}

async function compareRuns(event) {
  event.preventDefault();
  const pair = ["first-run", "second-run"].map((id) => compared.find((run) => run.id === byId(id).value));
  try {
    const found = await api.compare(pair[0].id, pair[1].id);
    showComparison(found, pair);
  } catch (problem) {
    showProblem(problem.message);
  }
}

function showComparison(found, pair) {
  const heads = ["", ...pair.map((run) => `Run ${run.number}`)];
  const lines = found.facts.map(([name, ...texts]) =>
    make("tr", {}, make("th", { scope: "row" }, name), ...texts.map((text) => make("td", {}, text))));
  const table = make("table", {},
    make("thead", {}, make("tr", {}, ...heads.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...lines));
  const most = Math.max(...pair.map((run) => run.summary.largest_class));
  const bars = pair.map((run) => make("div", {}, make("p", {}, `Run ${run.number}`), ...scale(run.summary, most)));
  const place = byId("comparison");
  place.replaceChildren(make("p", { className: "verdict" }, found.sentence), ...bars,
    make("div", { className: "scroll" }, table));
  place.hidden = false;
  place.focus();
}

byId("compare-form").addEventListener("submit", compareRuns);
