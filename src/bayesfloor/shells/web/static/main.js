// The page as a whole: a file comes, is read, and questions about it become runs.
import * as api from "./api.js";
import { chosenColumns, showColumns } from "./columns.js";
import { byId, capital, counted, isUnderWay, say, sentence, showProblem, shownSize, whyRefused } from "./dom.js";
import { listenForPredictions, sendPredictions, showPredictions } from "./predictions.js";
import { listenForComparisons, showRuns } from "./runs.js";

const SOON = 300; // milliseconds to the next look while something is under way
const LATER = 15000; // and else: the server must hear from this tab now and then
let timer = null;
let shownPreview = null; // the id of the preview that is on the page
let sending = null;

function show(state) {
  showFile(state);
  showPredictions(state, show);
  showRuns(state.runs, show);
  const jobs = [state.file?.preview, state.predictions?.preview, ...state.runs];
  const busy = jobs.some((job) => job && isUnderWay(job));
  clearTimeout(timer);
  timer = setTimeout(look, busy ? SOON : LATER);
}

async function look() {
  try {
    show(await api.state());
  } catch (problem) {
    showProblem(problem.message);
    clearTimeout(timer);
    if (problem.status !== 404) timer = setTimeout(look, LATER);
  }
}

// The field that a message starts with gets the focus, wherever it is.
function focusNamed(form, text) {
  const [, name] = /^“([^”]+)”/.exec(text) ?? [];
  const label = [...form.querySelectorAll("label")].find((one) => one.firstChild.textContent.trim() === name);
  if (!label) return;
  const folded = label.closest("details");
  if (folded) folded.open = true;
  label.control.focus();
}

async function attempt(request) {
  showProblem("");
  try {
    show(await request);
    return true;
  } catch (problem) {
    showProblem(problem.message);
    return false;
  }
}

function showFile({ file }) {
  if (sending) return;
  const preview = file?.preview;
  byId("drop").hidden = file !== null;
  byId("loaded").hidden = file === null;
  byId("reading-settings").hidden = file === null;
  byId("reading").hidden = !preview || !isUnderWay(preview);
  byId("reading-bar").removeAttribute("value");
  if (file) byId("file-name").textContent = file.name;
  if (!file || preview?.id !== shownPreview) {
    for (const id of ["columns", "ask"]) byId(id).hidden = true;
    byId("file-facts").textContent = file ? shownSize(file.size) : "";
    byId("reading-text").textContent = preview?.state === "queued" ? "Waiting to be read" : "Reading the table";
    if (!file) shownPreview = null;
  }
  if (preview && preview.id !== shownPreview) {
    if (preview.state === "failed") {
      shownPreview = preview.id;
      showProblem(preview.problem);
      byId("reading-settings").open = true;
    } else if (preview.state === "done") {
      shownPreview = preview.id;
      showTable(file);
    }
  }
}

async function showTable(file) {
  try {
    const table = await api.preview();
    showColumns(table);
    const facts = `${shownSize(file.size)} · ${counted(table.rows, "row")} · ${counted(table.columns.length, "column")}`;
    byId("file-facts").textContent = facts;
    for (const id of ["columns", "ask"]) byId(id).hidden = false;
    say(`${file.name}: ${facts}. Choose the label.`);
    byId("columns-heading").focus({ preventScroll: true });
  } catch (problem) {
    showProblem(problem.message);
  }
}

async function send(files) {
  if (files.length === 0 || sending) return;
  const [file] = files;
  const refused = whyRefused(files);
  showProblem(refused);
  if (refused) return;
  for (const id of ["columns", "ask", "loaded", "drop", "reading-settings"]) byId(id).hidden = true;
  byId("reading").hidden = false;
  byId("reading-text").textContent = `Taking ${file.name}`;
  say(`Taking ${file.name}`);
  byId("reading-form").reset();
  byId("reading-settings").open = false;
  sending = api.sendFile(file, (share) => { byId("reading-bar").value = share; });
  let found = null;
  try {
    found = await sending.done;
  } catch (problem) {
    showProblem(problem.message);
  }
  sending = null;
  byId("chosen").value = "";
  if (found) show(found);
  else await look();
}

function formValues(form) {
  return Object.fromEntries(new FormData(form).entries());
}

byId("chosen").addEventListener("change", (event) => send(event.target.files));
byId("other-file").addEventListener("click", () => byId("chosen").click());
byId("drop-file").addEventListener("click", () => attempt(api.removeFile()));
byId("cancel-reading").addEventListener("click", () => (sending ? sending.cancel() : attempt(api.removeFile())));
byId("reading-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { no_header: noHeader, ...texts } = formValues(event.target);
  if (!await attempt(api.readAgain({ ...texts, header: noHeader === undefined }))) {
    focusNamed(event.target, byId("problem-text").textContent);
  }
});
byId("ask-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { count, ...chosen } = chosenColumns();
  if (!await attempt(api.startRun({ ...formValues(event.target), ...chosen }))) {
    return focusNamed(event.target, byId("problem-text").textContent);
  }
  byId("runs-heading").focus();
  byId("runs").scrollIntoView({ block: "nearest" });
  say("The run is in the queue.");
});

for (const select of document.querySelectorAll("select[data-told]")) {
  const tell = () => { select.nextElementSibling.textContent = sentence(capital(select.selectedOptions[0].dataset.summary)); };
  select.addEventListener("change", tell);
  tell();
}
byId("problem-close").addEventListener("click", () => showProblem(""));
addEventListener("keydown", (event) => { if (event.key === "Escape") showProblem(""); });

for (const name of ["dragenter", "dragover"]) {
  addEventListener(name, (event) => {
    event.preventDefault();
    document.body.classList.add("over");
  });
}
for (const name of ["dragleave", "drop"]) {
  addEventListener(name, () => document.body.classList.remove("over"));
}
addEventListener("drop", (event) => {
  event.preventDefault();
  const { files } = event.dataTransfer;
  if (event.target.closest?.("#predictions")) sendPredictions(files, show);
  else send(files);
});
listenForPredictions(show);
listenForComparisons(show);
addEventListener("pagehide", api.leave);
addEventListener("pageshow", (event) => { if (event.persisted) look(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && timer) look(); });

api.openVisit().then((state) => {
  show(state);
  document.body.dataset.ready = "";
}, (problem) => showProblem(problem.message));
