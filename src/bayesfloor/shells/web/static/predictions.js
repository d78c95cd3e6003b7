// Predictions of the user's model: a second file, which is read and matched to the rows.
import * as api from "./api.js";
import { changed, sharedColumns } from "./columns.js";
import { byId, counted, isUnderWay, make, say, showProblem, shownSize, whyRefused } from "./dom.js";

const TOLD = ["model_error", "test_rows"]; // questions that predictions answer
let shown = null; // the ids of the previews of table and predictions that are on the page
let sending = null;

export async function showPredictions({ file, predictions }, refresh) {
  if (sending) return;
  const preview = predictions?.preview;
  byId("predictions-drop").hidden = Boolean(predictions);
  byId("predictions-loaded").hidden = !predictions || isUnderWay(preview);
  byId("predictions-reading").hidden = !predictions || !isUnderWay(preview);
  byId("predictions-bar").removeAttribute("value");
  byId("predictions-text").textContent = preview?.state === "queued" ? "Waiting to be read" : "Reading the predictions";
  byId("predictions-help").hidden = Boolean(predictions);
  for (const name of TOLD) leaveOut(document.querySelector(`input[name=${name}]`), Boolean(predictions));
  if (!predictions || isUnderWay(preview)) offerKeys([], "");
  if (!predictions) shown = null;
  const both = `${file?.preview.id} ${preview?.id}`;
  if (!preview || both === shown || file.preview.state !== "done" || isUnderWay(preview)) return;
  shown = both;
  if (preview.state === "done") return tell(predictions);
  await remove(refresh);
  showProblem(preview.problem);
}

// A question that the predictions answer is not asked.
function leaveOut(field, told) {
  if (field.disabled === told) return;
  field.disabled = told;
  field.dataset.hint ??= field.placeholder;
  field.placeholder = told ? "told by the predictions" : field.dataset.hint;
}

async function tell({ name, size }) {
  byId("predictions-file").textContent = name;
  try {
    const { rows, columns } = await api.predictions();
    const facts = `${shownSize(size)} · ${counted(rows, "row")} · ${counted(columns.length, "column")}`;
    const shared = sharedColumns(columns);
    const order = shared.names.length ? "" : " · in the order of the table’s rows";
    byId("predictions-facts").textContent = `${facts}${order}`;
    offerKeys(shared.names, shared.key);
    say(`Predictions of ${name}: ${facts}.`);
  } catch (problem) {
    showProblem(problem.message);
  }
}

// Rows go by a column of both tables that tells them apart, if there is one, else by their order.
function offerKeys(names, key) {
  const field = document.querySelector("select[name=key]");
  if (!names.length && field.disabled) return;
  field.replaceChildren(make("option", { value: "" }, "their order"),
    ...names.map((name) => make("option", { value: name }, name)));
  field.value = key;
  field.disabled = byId("predictions-key").hidden = names.length === 0;
  changed();
}

export async function sendPredictions(files, refresh) {
  if (files.length === 0 || sending) return;
  const [file] = files;
  const refused = whyRefused(files);
  showProblem(refused);
  if (refused) return;
  for (const id of ["predictions-drop", "predictions-loaded"]) byId(id).hidden = true;
  byId("predictions-reading").hidden = false;
  byId("predictions-text").textContent = `Taking ${file.name}`;
  sending = api.sendPredictions(file, (share) => { byId("predictions-bar").value = share; });
  let found = null;
  try {
    found = await sending.done;
  } catch (problem) {
    showProblem(problem.message);
  }
  sending = null;
  byId("predictions-chosen").value = "";
  refresh(found ?? await api.state());
}

async function remove(refresh) {
  try {
    refresh(await api.removePredictions());
    byId("predictions-chosen").focus({ preventScroll: true });
  } catch (problem) {
    showProblem(problem.message);
  }
}

export function listenForPredictions(refresh) {
  byId("predictions-chosen").addEventListener("change", (event) => sendPredictions(event.target.files, refresh));
  byId("predictions-remove").addEventListener("click", () => remove(refresh));
  byId("predictions-cancel").addEventListener("click", () => (sending ? sending.cancel() : remove(refresh)));
}
