"""tables.py — the rows behind a server, the same way for SQLite and for PostgreSQL: read as dicts, and written behind its
back. `?` is a place for a value. What was inserted is there when it is closed."""

import json
import sqlite3
import subprocess


class SqliteTables:
    def __init__(self, file):
        self.database = sqlite3.connect(file, timeout=30)
        self.database.row_factory = sqlite3.Row

    def select(self, sql, *values):
        return [dict(row) for row in self.database.execute(sql, values)]

    def insert(self, table, row):
        names = ", ".join(f'"{name}"' for name in row)
        self.database.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))}) ON CONFLICT DO NOTHING",
                              tuple(row.values()))

    def run_number(self):
        """For a run that is inserted: nobody else's."""
        return self.select("SELECT max(id) + 1 AS next FROM workflow_runs")[0]["next"]

    def watch(self, word):
        """From now on every row is kept into which the word is written: a later write may take it out again."""
        self.database.execute("CREATE TABLE words_seen (place TEXT, row TEXT)")
        for table in self.select("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND "
                                 "name NOT LIKE 'sqlite%' AND name <> 'words_seen'"):
            name = table["name"]
            columns = [row["name"] for row in self.select(f"SELECT name FROM pragma_table_info('{name}')")]
            new, old = (" || ' ' || ".join(f"coalesce({row}.\"{column}\", '')" for column in columns) for row in ("NEW", "OLD"))
            for event, more in (("INSERT", ""), ("UPDATE", f" AND instr({old}, '{word}') = 0")):
                self.database.execute(f"CREATE TRIGGER \"seen_{event}_{name}\" AFTER {event} ON \"{name}\" WHEN instr({new}, "
                                      f"'{word}') > 0{more} BEGIN INSERT INTO words_seen VALUES ('{name}', {new}); END")

    def seen(self):
        return [f"{row['place']}: {row['row'][:300]}" for row in self.select("SELECT * FROM words_seen")]

    def close(self):
        self.database.commit()
        self.database.close()


class PostgresTables:
    """Through psql: rows come and go as JSON, so that the columns say their types themselves."""

    def __init__(self, database, schema):
        self.database, self.schema = database, schema
        self.script = []

    @staticmethod
    def literal(value):
        if value is None:
            return "NULL"
        return str(value) if isinstance(value, (int, float)) else "'" + value.replace("'", "''") + "'"

    def ask(self, script):
        asked = subprocess.run([f"{self.database.bin}/psql", "-h", self.database.folder, "-U", "postgres", "-XAtq", "-v",
                                "ON_ERROR_STOP=1"], input=f"SET search_path = {self.schema}; {script}", text=True,
                               capture_output=True)
        assert asked.returncode == 0, asked.stderr
        return asked.stdout.splitlines()

    def select(self, sql, *values):
        first, *rest = sql.split("?")
        sql = first + "".join(self.literal(value) + text for value, text in zip(values, rest, strict=True))
        return [json.loads(line) for line in self.ask(f"SELECT row_to_json(one) FROM ({sql}) one;")]

    def insert(self, table, row):
        names = ", ".join(f'"{name}"' for name in row)
        self.script.append(f"INSERT INTO {table} ({names}) OVERRIDING SYSTEM VALUE SELECT {names} FROM "
                           f"json_populate_record(NULL::{table}, {self.literal(json.dumps(row))}) ON CONFLICT DO NOTHING;")

    def run_number(self):
        [number] = self.ask("UPDATE belay_meta SET value = value + 1 WHERE key = 'run_number' RETURNING value;")
        return int(number)

    def watch(self, word):
        """From now on every row is kept into which the word is written: a later write may take it out again."""
        self.script.append(f"""CREATE TABLE words_seen (place text, row text);
            CREATE FUNCTION see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                IF position('{word}' IN row_to_json(NEW)::text) > 0 AND
                   (TG_OP = 'INSERT' OR position('{word}' IN row_to_json(OLD)::text) = 0) THEN
                    INSERT INTO {self.schema}.words_seen VALUES (TG_TABLE_NAME, row_to_json(NEW)::text);
                END IF;
                RETURN NULL;
            END $$;""")
        for table in self.select(f"SELECT tablename AS name FROM pg_tables WHERE schemaname = '{self.schema}'"):
            self.script.append(f"CREATE TRIGGER seen AFTER INSERT OR UPDATE ON \"{table['name']}\" FOR EACH ROW "
                               "EXECUTE FUNCTION see();")

    def seen(self):
        return [f"{row['place']}: {row['row'][:300]}" for row in self.select("SELECT * FROM words_seen")]

    def close(self):
        if self.script:
            self.ask("BEGIN;\n" + "\n".join(self.script) + "\nCOMMIT;")
