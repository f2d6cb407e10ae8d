/*
 * Put at the end of copies of report.html, each in a frame, by tests/unit/html-layout.sh, whose page has look() called at
 * several widths and in both schemes of colours: looks for text that is too wide, overlaps or is too faint, with everything
 * folded and unfolded.
 */
let findings, width;

function texts() {
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	const found = [];
	for (let node; (node = walker.nextNode());) {
		const parent = node.parentElement;
		if (!node.data.trim() || parent.closest("script, title, details:not([open]) > :not(summary)"))
			continue;
		const range = document.createRange();
		range.selectNodeContents(node);
		for (const box of range.getClientRects())
			if (box.width > 0 && box.height > 0)
				found.push({ node, parent, box });
	}
	return found;
}

const shown = (item) => JSON.stringify(item.node.data.trim().slice(0, 40));

function check_width(state, items) {
	const root = document.documentElement;
	if (root.scrollWidth > width)
		findings.push(`${state}: the page is ${root.scrollWidth} wide`);
	for (const item of items)
		if (!item.parent.closest(".scroll") && (item.box.right > width + 0.5 || item.box.left < -0.5))
			findings.push(`${state}: outside: ${shown(item)} at ${item.box.left}..${item.box.right}`);
}

/* Boxes of lines reach above and below their letters: what is compared is their middle. */
function overlap(a, b) {
	const high = (box) => [box.top + 0.2 * box.height, box.bottom - 0.2 * box.height];
	const [a_top, a_bottom] = high(a), [b_top, b_bottom] = high(b);
	return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
		Math.min(a_bottom, b_bottom) - Math.max(a_top, b_top) > 1;
}

function check_overlap(state, items) {
	items.sort((a, b) => a.box.top - b.box.top);
	for (let i = 0; i < items.length; i++)
		for (let j = i + 1; j < items.length && items[j].box.top < items[i].box.bottom; j++)
			if (items[i].node !== items[j].node && overlap(items[i].box, items[j].box))
				findings.push(`${state}: overlap: ${shown(items[i])} and ${shown(items[j])}`);
}

function luminance(color) {
	const parts = color.match(/[\d.]+/g).slice(0, 3).map((part) => {
		const value = part / 255;
		return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
	});
	return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

function check_contrast(items) {
	const paper = luminance(getComputedStyle(document.body).backgroundColor);
	const seen = new Set();
	for (const item of items) {
		const style = getComputedStyle(item.parent);
		const color = item.parent.closest("svg") ? style.fill : style.color;
		const ink = luminance(color);
		const contrast = (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
		if (contrast < 4.5 && !seen.has(color))
			findings.push(`contrast ${contrast.toFixed(1)}: ${color} of ${shown(item)}`);
		seen.add(color);
	}
}

/* What was found at the width that the frame has now, a line each, and last that it was looked at all. */
function look() {
	findings = [];
	width = innerWidth;
	let items;
	for (const open of [false, true]) {
		for (const fold of document.querySelectorAll("details"))
			fold.open = open;
		const state = open ? "unfolded" : "folded";
		items = texts();
		check_width(state, items);
		check_overlap(state, items);
	}
	check_contrast(items);
	if (items.length < 20)
		findings.push("the page is nearly empty");
	findings.push(`looked, dark ${matchMedia("(prefers-color-scheme: dark)").matches}`);
	return findings.map((finding) => `at ${width}: ${finding}`);
}
