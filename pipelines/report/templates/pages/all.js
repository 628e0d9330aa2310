(function () {
"use strict";
var table = document.getElementById("rows");
if (!table) return;
var body = table.tBodies[0], rows = Array.prototype.slice.call(body.rows);
var heads = table.tHead.rows[0].cells, query = document.getElementById("query"), shown = document.getElementById("shown");
var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
function value(row, column, numeric) {
var cell = row.cells[column], raw = cell.getAttribute("data-value");
if (raw === null) raw = cell.textContent;
if (!numeric) return raw;
return raw === "" ? -Infinity : Number(raw);
}
function sort(column, head) {
var down = head.getAttribute("aria-sort") !== "descending", numeric = head.getAttribute("data-sort") === "number";
Array.prototype.forEach.call(heads, function (each) { each.removeAttribute("aria-sort"); });
head.setAttribute("aria-sort", down ? "descending" : "ascending");
var order = rows.slice().sort(function (one, other) {
var a = value(one, column, numeric), b = value(other, column, numeric);
var way = numeric ? (a < b ? -1 : a > b ? 1 : 0) : a.localeCompare(b, document.documentElement.lang);
return (down ? -way : way) || rows.indexOf(one) - rows.indexOf(other);
});
order.forEach(function (row) { body.appendChild(row); });
}
function filter() {
var words = query.value.toLowerCase().split(/\s+/).filter(Boolean), count = 0;
rows.forEach(function (row, index) {
var fits = words.every(function (word) { return texts[index].indexOf(word) >= 0; });
row.hidden = !fits;
if (fits) count += 1;
});
shown.textContent = shown.getAttribute("data-text").replace("{shown}", count).replace("{n}", rows.length);
}
Array.prototype.forEach.call(heads, function (head, column) {
var button = document.createElement("button");
button.type = "button";
button.textContent = head.textContent;
head.textContent = "";
head.appendChild(button);
button.addEventListener("click", function () { sort(column, head); });
});
query.addEventListener("input", filter);
document.getElementById("filter").hidden = false;
filter();
})();
