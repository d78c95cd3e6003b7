// Draw every chart of the page, no wider than its column; values show where the mouse is.
for (const place of document.querySelectorAll(".live-chart:not(.drawn)")) {
  place.classList.add("drawn");
  const spec = JSON.parse(place.querySelector("script").textContent);
  if (spec.width) spec.width = Math.min(spec.width, place.clientWidth);
  spec.config = { ...spec.config, mark: { tooltip: { content: "encoding" } } };
  const sheet = place.appendChild(document.createElement("div"));
  vegaEmbed(sheet, spec, { actions: false, renderer: "svg" });
}
