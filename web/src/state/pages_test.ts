import { strict as assert } from "node:assert";
import { test } from "node:test";
import { PageList, type Page } from "./pages";

interface Row {
  id: number;
  word: string;
}
// Rows by id, newest first, five a page; the cursor is the last id seen.
class Shelf {
  rows: Row[] = [];
  asked = 0;
  add(...ids: number[]) {
    for (const id of ids) this.rows.unshift({ id, word: "new" });
  }
  load = async (cursor: string | null): Promise<Page<Row>> => {
    this.asked++;
    const rest = this.rows.filter((row) => cursor === null || row.id < Number(cursor));
    const rows = rest.slice(0, 5).map((row) => ({ ...row }));
    return { rows, next: rest.length > 5 ? String(rows.at(-1)?.id) : null };
  };
}
const ids = (list: PageList<Row>) => list.shown.rows.map((row) => row.id);
const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

test("new rows come in front and known ones are replaced where they stand", async () => {
  const shelf = new Shelf();
  shelf.add(1, 2, 3);
  const list = new PageList(shelf.load, (row) => String(row.id));
  await list.readAgain();
  shelf.add(4);
  const two = shelf.rows.find((row) => row.id === 2);
  if (two) two.word = "done";
  await list.readAgain();
  assert.deepEqual(ids(list), [4, 3, 2, 1]);
  assert.equal(list.shown.rows[2]?.word, "done");
});

test("it reads on when its end is on the screen, and stops at the last page", async () => {
  const shelf = new Shelf();
  shelf.add(...Array.from({ length: 12 }, (_, n) => n + 1));
  const list = new PageList(shelf.load, (row) => String(row.id));
  await list.readAgain();
  for (let n = 0; n < 4; n++) {
    list.see(0, list.shown.rows.length);
    await settle();
  }
  assert.equal(ids(list).length, 12);
  assert.equal(list.shown.done, true);
  assert.equal(shelf.asked, 3);
});

test("so much news that a gap would be left begins the list anew", async () => {
  const shelf = new Shelf();
  shelf.add(1, 2, 3);
  const list = new PageList(shelf.load, (row) => String(row.id));
  await list.readAgain();
  shelf.add(...Array.from({ length: 9 }, (_, n) => n + 10));
  await list.readAgain();
  assert.deepEqual(ids(list).slice(0, 5), [18, 17, 16, 15, 14]);
  await settle(); // nothing is on the screen yet, so it reads on: what was held beyond the gap is not there twice
  assert.deepEqual(ids(list), [18, 17, 16, 15, 14, 13, 12, 11, 10, 3]);
});

test("rows that come and go in front leave every other row where it is found", async () => {
  const shelf = new Shelf();
  shelf.add(...Array.from({ length: 12 }, (_, n) => n + 1));
  const list = new PageList(shelf.load, (row) => String(row.id));
  await list.readAgain();
  for (let n = 0; n < 4; n++) {
    list.see(0, list.shown.rows.length);
    await settle();
  }
  shelf.add(20, 21);
  shelf.rows = shelf.rows.filter((row) => row.id !== 11);
  for (const row of shelf.rows) row.word = "again";
  list.see(11, 13);
  await list.readAgain();
  await settle();
  assert.deepEqual(ids(list), [21, 20, 12, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  // Read again: the first page, and the one on the screen.
  assert.deepEqual(list.shown.rows.filter((row) => row.word === "again").map((row) => row.id), [21, 20, 12, 10, 9, 2, 1]);
});

test("a row that was deleted goes", async () => {
  const shelf = new Shelf();
  shelf.add(1, 2, 3);
  const list = new PageList(shelf.load, (row) => String(row.id));
  await list.readAgain();
  shelf.rows = shelf.rows.filter((row) => row.id !== 2);
  await list.readAgain();
  assert.deepEqual(ids(list), [3, 1]);
});

test("whoever comes to the end while the head is read again is read on to, all the same", async () => {
  const shelf = new Shelf();
  shelf.add(...Array.from({ length: 12 }, (_, n) => n + 1));
  const list = new PageList(shelf.load, (row) => String(row.id));
  await list.readAgain();
  const again = list.readAgain();
  list.see(0, 5);
  await again;
  await settle();
  assert.equal(ids(list).length, 10);
});
