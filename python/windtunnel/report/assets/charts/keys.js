// Charts against time from the keyboard: arrows move the window, plus and minus zoom, Home shows all.
"use strict";

windtunnel.keys = (box, chart, show) => {
  box.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const { min, max } = chart.scales.x;
    const width = max - min;
    const moves = {
      ArrowLeft: [min - width / 10, max - width / 10],
      ArrowRight: [min + width / 10, max + width / 10],
      "+": [min + width / 4, max - width / 4],
      "=": [min + width / 4, max - width / 4],
      "-": [min - width / 2, max + width / 2],
      Home: null,
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    const wanted = moves[event.key];
    show(wanted && { min: wanted[0], max: wanted[1] });
  });
};
