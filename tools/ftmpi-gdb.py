"""Shows gdb the source lines of ranks: every rank runs in a private copy of the program that gdb
does not know of.

    gdb -x tools/ftmpi-gdb.py --args ftrun -np 4 ./prog
    (gdb) run
    (gdb) ftmpi-symbols          symbols for the selected thread's rank
    (gdb) ftmpi-symbols all      symbols for every thread's rank
    (gdb) backtrace

ftrun becomes the program (exec), so breakpoints are best set after a first stop. The copies are
ordinary mappings of the program's file, so their addresses are read off the mappings.
"""

import bisect

import gdb


class Copies:
    """The mappings of files that can hold code, as they are now."""

    def __init__(self):
        pid = gdb.selected_inferior().pid
        self.known = []
        base = {}
        with open(f"/proc/{pid}/maps", encoding="utf-8", errors="replace") as maps:
            for line in maps:
                words = line.split(None, 5)
                if len(words) < 6 or not words[5].startswith("/"):
                    continue
                path = words[5].rstrip("\n")
                start, end = (int(word, 16) for word in words[0].split("-"))
                if int(words[2], 16) == 0:
                    base[path] = start
                if "x" in words[1] and path in base:
                    self.known.append((start, end, path, base[path]))
        self.starts = [mapping[0] for mapping in self.known]

    def at(self, address):
        """The file and the load address of the code at `address`."""
        index = bisect.bisect_right(self.starts, address) - 1
        if index >= 0 and address < self.known[index][1]:
            return self.known[index][2:]
        return None


def frames_of(thread):
    """The addresses of code on a thread's stack, as far as gdb can walk it now."""
    thread.switch()
    frame = gdb.newest_frame()
    while frame is not None and frame.is_valid():
        yield frame.pc()
        try:
            frame = frame.older()
        except gdb.error:
            return


class Symbols(gdb.Command):
    """Load symbols for the private copies that ranks run in: ftmpi-symbols [all]"""

    def __init__(self):
        super().__init__("ftmpi-symbols", gdb.COMMAND_FILES)
        self.loaded = set()

    def invoke(self, argument, _from_tty):
        selected = gdb.selected_thread()
        if selected is None:
            raise gdb.GdbError("no program runs: `run` or `attach` first")
        threads = gdb.selected_inferior().threads() if argument.strip() == "all" else [selected]
        copies = Copies()
        for thread in threads:
            # Every copy that becomes known lets gdb walk further up the stack.
            while self.load(copies, thread):
                pass
        selected.switch()

    def load(self, copies, thread):
        fresh = {copies.at(pc) for pc in frames_of(thread)} - self.loaded - {None}
        fresh = {copy for copy in fresh if not self.is_known(copy)}
        for path, base in fresh:
            gdb.execute(f"add-symbol-file {path} -o {base:#x}", to_string=True)
        self.loaded |= fresh
        return bool(fresh)

    @staticmethod
    def is_known(copy):
        """Whether the dynamic loader put it there, so that gdb has it already."""
        path, base = copy
        name = gdb.solib_name(base) or ""
        return name == path


Symbols()
