// Shows the claims of one verdict, and folds the grid of papers. Without this file everything is shown and the buttons stay hidden.
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
