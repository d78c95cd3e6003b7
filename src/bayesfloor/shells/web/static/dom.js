// Elements are made of text only: nothing that came from a file is ever taken for HTML.

export const byId = (id) => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export function say(text) {
  byId("status").textContent = text;
}

// The message stays in view wherever the page is scrolled to, until something else is done.
export function showProblem(text) {
  byId("problem").hidden = !text;
  byId("problem-text").textContent = sentence(text);
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
export const sentence = (text) => (/[\p{L}\p{N})”']$/u.test(text) ? `${text}.` : text);

export const isUnderWay = (job) => job.state === "queued" || job.state === "running";

// Why these files cannot be taken, in a sentence; nothing if the one that there is can.
export function whyRefused(files) {
  const { maxUpload, maxUploadShown } = document.body.dataset;
  if (files.length > 1) return "One file at a time: drop them one after another.";
  if (files[0].size <= Number(maxUpload)) return "";
  return `${files[0].name} has ${shownSize(files[0].size)}, more than ${maxUploadShown}; restart bayesfloor serve with a larger --max-upload, or use bayesfloor estimate.`;
}

export const counted = (count, noun) =>
  `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

export function shownSize(bytes) {
  const units = ["bytes", "kB", "MB", "GB"];
  const power = Math.min(3, Math.floor(Math.log10(Math.max(bytes, 1)) / 3));
  return `${(bytes / 1000 ** power).toFixed(power > 1 ? 1 : 0)} ${units[power]}`;
}
