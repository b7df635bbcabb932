// The drawn series of a run as CSV, made in the browser: one row per time and line, values as they are drawn.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  for (const button of document.querySelectorAll("[data-csv]")) {
    button.addEventListener("click", () => {
      const rows = ["quantity,unit,line,t_s,value"];
      for (const section of document.querySelectorAll("[data-chart]")) {
        const data = windtunnel.stored(section.dataset.chart);
        const t = windtunnel.series.times(data.t);
        for (const line of data.lines) {
          const head = [data.title, data.unit, line.label].map(quoted).join(",");
          line.v.forEach((value, at) => {
            if (value !== null) rows.push(`${head},${Number(t[at].toPrecision(9))},${value}`);
          });
        }
      }
      const url = URL.createObjectURL(new Blob([rows.join("\n") + "\n"], { type: "text/csv" }));
      const link = windtunnel.element("a", { href: url, download: button.dataset.csv });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
  }
});
