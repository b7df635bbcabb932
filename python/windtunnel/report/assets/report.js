// Shows the claims of one verdict, folds the grid of papers, and asks for the part of a served page that takes long to make. Without this file everything
// is shown and the buttons and that part stay hidden.
"use strict";

for (const filter of document.querySelectorAll(".filter")) {
  const list = filter.parentElement.querySelector("[data-filtered]");
  const claims = [...list.querySelectorAll("[data-verdict]")];
  const buttons = [...filter.querySelectorAll("[data-filter]")];
  const said = filter.querySelector("output");

  const show = (wanted) => {
    let shown = 0;
    for (const claim of claims) {
      claim.hidden = wanted !== "all" && claim.dataset.verdict !== wanted;
      shown += claim.hidden ? 0 : 1;
    }
    for (const button of buttons) {
      button.setAttribute("aria-pressed", String(button.dataset.filter === wanted));
    }
    said.textContent = wanted === "all" ? "" : `${shown} of ${claims.length} shown`;
  };

  for (const button of buttons) {
    const count = claims.filter((claim) => claim.dataset.verdict === button.dataset.filter).length;
    button.disabled = button.dataset.filter !== "all" && count === 0;
    button.addEventListener("click", () => show(button.dataset.filter));
  }
  filter.hidden = false;
}

for (const grid of document.querySelectorAll("[data-fold]")) {
  const button = grid.closest("section").querySelector("[data-unfold]");
  button.hidden = false;
  button.addEventListener("click", () => {
    const folded = grid.classList.toggle("folded");
    button.setAttribute("aria-pressed", String(!folded));
  });
  grid.classList.add("folded");
}

for (const part of document.querySelectorAll("[data-part]")) {
  fetch(part.dataset.part)
    .then((answer) => (answer.ok ? answer.text() : ""))
    .then((text) => {
      part.innerHTML = text;
      part.hidden = text.trim() === "";
    })
    .catch(() => {}); // The server has ended: the page stays as it is.
}
