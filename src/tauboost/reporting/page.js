// What a page can do beyond being read: sort and filter tables, and move the threshold.
"use strict";
(() => {
  const value = (cell) => {
    const given = cell.dataset.v;
    return given === undefined ? cell.textContent.trim() : Number(given);
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

  for (const table of document.querySelectorAll("table[data-sort]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const falls = head.getAttribute("aria-sort") === "descending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", falls ? "ascending" : "descending");
        const rows = [...table.tBodies[0].rows];
        rows.sort((a, b) => compare(value(a.cells[column]), value(b.cells[column])));
        if (!falls) rows.reverse();
        table.tBodies[0].append(...rows);
      });
    });
  }

  for (const box of document.querySelectorAll("input[data-filter]")) {
    const table = document.getElementById(box.dataset.filter);
    const count = document.querySelector(`output[data-count="${box.dataset.filter}"]`);
    box.parentElement.hidden = false;
    box.addEventListener("input", () => {
      const wanted = box.value.trim().toLowerCase();
      let shown = 0;
      for (const row of table.tBodies[0].rows) {
        row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
        shown += !row.hidden;
      }
      count.textContent = wanted === "" ? "" : `${shown.toLocaleString("en")} found`;
    });
  }

  for (const box of document.querySelectorAll("[data-threshold]")) {
    const steps = box.dataset.threshold.split(";").map((step) => step.split(",").map(Number));
    const positive = Number(box.dataset.positive), negative = Number(box.dataset.negative);
    const slider = box.querySelector("[data-slider]");
    const percent = (hits, of) => (of > 0 ? `${((100 * hits) / of).toFixed(1)}%` : "none");
    const show = (name, text) => {
      box.querySelector(`[data-out="${name}"]`).textContent = text;
    };
    const dot = (name, x, y) => {
      const mark = document.querySelector(`[data-dot="${name}"]`);
      if (mark === null || !Number.isFinite(x + y)) return;
      const [, , width, height] = mark.ownerSVGElement.getAttribute("viewBox").split(" ").map(Number);
      mark.setAttribute("cx", 52 + x * (width - 64));
      mark.setAttribute("cy", height - 40 - y * (height - 52));
      mark.setAttribute("visibility", "visible");
    };
    const update = () => {
      const [tp, fp] = steps[Number(slider.value)];
      const counts = { tp, fp, fn: positive - tp, tn: negative - fp };
      for (const [name, n] of Object.entries(counts)) show(name, n.toLocaleString("en"));
      show("at", `${slider.value}%`);
      show("precision", percent(tp, tp + fp));
      show("recall", percent(tp, positive));
      show("rate", percent(fp, negative));
      show("accuracy", percent(tp + negative - fp, positive + negative));
      slider.setAttribute("aria-valuetext", `${slider.value} percent`);
      dot("roc", fp / negative, tp / positive);
      dot("precision", tp / positive, tp / (tp + fp));
    };
    slider.addEventListener("input", update);
    box.hidden = false;
    update();
  }
})();
