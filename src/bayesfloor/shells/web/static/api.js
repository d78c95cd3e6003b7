// Requests to the server of this page; each returns what it says, or throws a sentence.

const KEY = "bayesfloor-visit";
let visit = sessionStorage.getItem(KEY);

const place = (path) => `visits/${visit}${path}`;

async function ask(method, path, body) {
  let response;
  try {
    response = await fetch(path, {
      method,
      body: body === undefined ? undefined : JSON.stringify(body),
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
    });
  } catch {
    throw new Error("The server does not answer: bayesfloor serve has ended, or is not reached.");
  }
  return understand(response.status, await response.text());
}

function understand(status, text) {
  let said = {};
  try {
    said = JSON.parse(text);
  } catch {
    said = { problem: text };
  }
  if (status < 400) return said;
  const problem = new Error(said.problem || `The server refuses (${status}).`);
  problem.status = status;
  throw problem;
}

export async function openVisit() {
  if (visit) {
    try {
      return await ask("GET", place(""));
    } catch (problem) {
      if (problem.status !== 404) throw problem;
    }
  }
  const state = await ask("POST", "visits");
  visit = state.visit;
  sessionStorage.setItem(KEY, visit);
  return state;
}

export const state = () => ask("GET", place(""));
export const preview = () => ask("GET", place("/preview"));
export const readAgain = (form) => ask("POST", place("/preview"), form);
export const removeFile = () => ask("DELETE", place("/file"));
export const predictions = () => ask("GET", place("/predictions"));
export const removePredictions = () => ask("DELETE", place("/predictions"));
export const sendPredictions = (file, onProgress) => sendFile(file, onProgress, "/predictions");
export const startRun = (form) => ask("POST", place("/runs"), form);
export const removeRun = (id) => ask("DELETE", place(`/runs/${id}`));
export const cancelRun = (id) => ask("POST", place(`/runs/${id}/cancel`));
export const comparePaired = (one, other) => ask("POST", place(`/compare/${one}/${other}`));
export const compare = (one, other) => ask("GET", place(`/compare/${one}/${other}`));
export const reportAddress = (id) => place(`/runs/${id}/report`);

export function leave() {
  if (visit) fetch(place("/leave"), { method: "POST", keepalive: true }).catch(() => {});
}

// A file is sent as it is; this is the one request whose progress the browser tells.
export function sendFile(file, onProgress, path = "/file") {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve, reject) => {
    request.open("POST", place(`${path}?name=${encodeURIComponent(file.name)}`));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => onProgress(event.loaded / Math.max(event.total, 1));
    request.onload = () => {
      try {
        resolve(understand(request.status, request.responseText));
      } catch (problem) {
        reject(problem);
      }
    };
    request.onerror = () => reject(new Error("The file could not be sent; is it still there?"));
    request.onabort = () => resolve(null);
    request.send(file);
  });
  return { done, cancel: () => request.abort() };
}
