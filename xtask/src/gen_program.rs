//! `cargo xtask gen-program LINES`: a large Toft program on standard output, to measure the
//! compiler with. Modules of a record type and functions over it: loops, arrays, lists,
//! strings, switches, floats, calls backwards. The same number gives the same text; it compiles
//! without a warning, and runs.

use std::fmt::Write as _;

pub fn main(words: &[String]) -> Result<(), String> {
    let lines = match words {
        [lines] => lines.parse::<usize>().ok(),
        _ => None,
    };
    let lines = lines.ok_or("usage: cargo xtask gen-program LINES")?;
    print!("{}", program(lines));
    Ok(())
}

/// A program of at least `lines` lines.
fn program(lines: usize) -> String {
    let mut gen_ = Gen { out: String::new(), seed: 42, written: 0 };
    gen_.text("#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n");
    let mut modules = 0;
    while gen_.written + 4 * modules.min(50) + 10 < lines {
        gen_.module(modules);
        modules += 1;
    }
    gen_.text("int main(void) {\n    long sum = 0;\n");
    for m in (0..modules).step_by(modules / 50 + 1) {
        gen_.text(&format!("    sum += drive_{m}({});\n", m % 23 + 3));
    }
    gen_.text("    printf(\"%ld\\n\", sum);\n    return 0;\n}\n");
    gen_.out
}

struct Gen {
    out: String,
    seed: u64,
    written: usize,
}

impl Gen {
    fn text(&mut self, text: &str) {
        self.written += text.bytes().filter(|&b| b == b'\n').count();
        self.out.push_str(text);
    }

    /// A number below `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.seed >> 33) % n
    }

    /// A template, with `@` for the module's number and `#` for a fresh small number each time.
    fn template(&mut self, m: usize, template: &str) {
        let mut text = String::with_capacity(template.len() + 64);
        for c in template.chars() {
            let _ = match c {
                '@' => write!(text, "{m}"),
                '#' => write!(text, "{}", self.below(61) + 2),
                c => write!(text, "{c}"),
            };
        }
        self.text(&text);
    }

    fn module(&mut self, m: usize) {
        self.template(m, RECORD);
        let mut order: Vec<usize> = (0..FUNCTIONS.len()).collect();
        for i in (1..order.len()).rev() {
            let j = self.below(i as u64 + 1) as usize;
            order.swap(i, j);
        }
        for n in order {
            self.template(m, FUNCTIONS[n]);
        }
        for variant in 0..self.below(4) + 2 {
            self.mixed(m, variant);
        }
        self.template(m, DRIVE);
        if m > 0 {
            let before = self.below(m as u64);
            self.text(&format!("    if (n > 40)\n        sum += drive_{before}(n / 2);\n"));
        }
        self.text("    return sum;\n}\n\n");
    }

    /// A function of statements picked at random over a few variables.
    fn mixed(&mut self, m: usize, variant: u64) {
        let head = format!(
            "// Step {variant} of the computation over record {m}.\n\
             long mixed_{m}_{variant}(struct record_{m} *r, int n, const int values[]) {{\n    \
             long a = n, b = 1, c = 0;\n"
        );
        self.text(&head);
        for _ in 0..self.below(5) + 3 {
            let pick = self.below(STATEMENTS.len() as u64) as usize;
            self.template(m, STATEMENTS[pick]);
        }
        self.text("    return a + b + c + r->id + values[0];\n}\n\n");
    }
}

const RECORD: &str = "\
// Record @: what is known of one item.
struct record_@ {
    int id;
    unsigned flags;
    long total;
    double weight;
    int history[16];
    char name[24];
    struct record_@ *next;
};

enum state_@ { IDLE_@, BUSY_@, DONE_@, FAILED_@ };

static int counter_@;

";

const DRIVE: &str = "\
// Exercises module @.
long drive_@(int n) {
    struct record_@ *list = NULL;
    int values[64];
    for (int i = 0; i < 64; i++)
        values[i] = i * # % #;
    for (int i = 0; i < n; i++)
        list = push_@(list, i, i * 0.5 + #);
    long sum = total_@(list) + sum_values_@(values, 64);
    sort_@(values, 64);
    if (list != NULL) {
        sum += next_state_@(list, n) + spread_@(list, n);
        sum += mixed_@_0(list, n, values) + mixed_@_1(list, n, values);
    }
    sum += search_@(values, 64, n) + count_words_@(\"one two three\");
";

const FUNCTIONS: &[&str] = &[
    "\
// A new record in front of the list.
struct record_@ *push_@(struct record_@ *'H list, int id, double weight) {
    struct record_@ *r = malloc(sizeof(struct record_@));
    r->id = id;
    r->flags = (unsigned)id * #u & 0xff;
    r->weight = weight;
    r->total = 0;
    for (int i = 0; i < 16; i++)
        r->history[i] = id + i * #;
    r->next = list;
    counter_@++;
    return r;
}

",
    "\
// The total over a list, with its largest history entry counted twice.
long total_@(struct record_@ *list) {
    long sum = 0;
    int most = 0;
    while (list != NULL) {
        sum += list->total + list->id;
        for (int i = 0; i < 16; i++) {
            sum += list->history[i];
            if (list->history[i] > most)
                most = list->history[i];
        }
        if (list->flags & 1)
            sum -= #;
        else if (list->weight > #.5)
            sum += #;
        list = list->next;
    }
    return sum + most;
}

",
    "\
static int sum_values_@(const int values[], int n) {
    int sum = 0, odd = 0;
    for (int i = 0; i < n; i++) {
        int v = values[i];
        if (v % 2 != 0) {
            odd++;
            sum += v * #;
        } else {
            sum ^= v << 2;
        }
    }
    return odd > # ? sum : sum + #;
}

",
    "\
// Insertion sort.
static void sort_@(int values[], int n) {
    for (int i = 1; i < n; i++) {
        int v = values[i];
        int j = i - 1;
        while (j >= 0 && values[j] > v) {
            values[j + 1] = values[j];
            j--;
        }
        values[j + 1] = v;
    }
}

",
    "\
// Binary search in sorted values; -1 when there is none.
static int search_@(const int values[], int n, int wanted) {
    int lo = 0, hi = n - 1;
    while (lo <= hi) {
        int mid = lo + (hi - lo) / 2;
        if (values[mid] == wanted)
            return mid;
        if (values[mid] < wanted)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return -1;
}

",
    "\
static int next_state_@(struct record_@ *r, int event) {
    enum state_@ state = r->id % 4;
    switch (state) {
    case IDLE_@:
        state = event > # ? BUSY_@ : IDLE_@;
        break;
    case BUSY_@:
        r->total += event;
        if (r->total > #00)
            state = DONE_@;
        break;
    case DONE_@:
        r->flags |= 1u << (event & 7);
        /* fall through */
    case FAILED_@:
        state = IDLE_@;
        break;
    default:
        return -1;
    }
    counter_@ += event;
    return (int)state * #;
}

",
    "\
static int count_words_@(const char ?text) {
    int words = 0;
    bool inside = false;
    for (size_t i = 0; i < strlen(text); i++) {
        char c = text[i];
        if (c == ' ' || c == '\\t' || c == '\\n') {
            inside = false;
        } else if (!inside) {
            inside = true;
            words++;
        }
    }
    return words * #;
}

",
    "\
static long spread_@(struct record_@ *r, int n) {
    double x = r->weight, y = 1.0 / (n + #);
    long result = 0;
    do {
        x = x * y + #.25;
        y += 0.125;
        if (x > 1000.0 || y > 1000.0)
            break;
        result += (long)(x * #);
        n -= 3;
    } while (n > 0);
    struct record_@ copy = *r;
    copy.total += result;
    r->total = copy.total;
    return result + copy.id;
}

",
];

const STATEMENTS: &[&str] = &[
    "    for (int i = 0; i < n && i < 64; i++)
        a += values[i] * #;
",
    "    if (a > b * #) {
        b += a % #;
        c -= b;
    } else {
        b ^= a + #;
    }
",
    "    r->history[(unsigned)(a + b) % 16] += n;
    r->total += b - c;
",
    "    for (int i = 0; i < 16; i++) {
        if (r->history[i] == #)
            continue;
        c += r->history[i] ^ (int)b;
        if (c > #000000)
            break;
    }
",
    "    while (b > # && a > 0) {
        b /= 2;
        a -= b & 0xff;
    }
",
    "    switch (n % 5) {
    case 0:
        a += #;
        break;
    case 1:
    case 2:
        b += c * #;
        break;
    default:
        c++;
    }
",
    "    c += n > # ? search_@(values, 64, #) : sum_values_@(values, 8);
",
    "    for (struct record_@ *p = r; p != NULL; p = p->next) {
        a += p->total & 0x3f;
        if (p->id == #)
            p->weight *= 1.5;
    }
",
];
