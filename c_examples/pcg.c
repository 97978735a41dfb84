/* Conjugate gradients with a diagonal preconditioner that survive the deaths of ranks by diskless
 * checkpoints (Chen et al., "Fault tolerant high performance computing by a coding approach").
 *
 *     ftrun -np 20 --mode=rebuild ./pcg --poisson 7 --order 164610 --iterations 2000
 *         --scheme weighted --checkpoint-ranks 5 --every 100 --kill 3@1000 --kill 7@1000
 *
 * pcg [FILE.mtx | FILE.rsa | --poisson 7|27|39 --order N] --iterations I --tolerance T --times N
 *     --scheme NAME --checkpoint-ranks M --every K --kill RANK@ITERATION...
 *
 * It solves the system N times. The last M ranks keep codes and do not compute; without them, the
 * codes are spread over all, and NAME may be any scheme of ftck.h. Without a scheme, or with
 * another MPI, no failure is survived.
 * A rank that is to be killed at an iteration dies there; one that keeps codes, after the first
 * checkpoint from there on.
 * Under SHRINK and BLANK nobody takes the place of the dead: those who are left share the rows
 * anew. That goes without ranks that only keep codes.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef FT_MPI_CHECK_RECOVER
#include "ftmpi.h"
#endif

enum { DATA_TAG = 1, ROW_TAG = 2, MOST_KILLS = 256, NOT_SAVED = INT_MAX };

/* The rows of this rank; columns are local: own ones first, then those of the halo. As long as the
 * halo is not known, they are counted from the first own one, back and forth. */
static struct {
    long order, first;
    int rows, halo;
    long *start;
    int *column;
    double *value, *diagonal;
} a;

/* Who needs which of our numbers, and whose come to us. */
static struct {
    int peers;
    int *peer, *got, *given, *index;
    double *room;
    MPI_Request *request;
} halo;

/* The state of the solution: what a checkpoint keeps. */
static struct {
    double *x, *r, *p;
    double rho;
    int iteration, turn;
} s;

static struct {
    const char *file, *scheme;
    int stencil, iterations, times, keepers, codes, every, kills;
    int victim[MOST_KILLS], moment[MOST_KILLS];
    long order;
    double tolerance;
} opt = {.stencil = 7, .order = 27000, .iterations = 1000, .times = 1, .every = 100};

static struct {
    double set_up, checkpoint, until, environment, data;
    int checkpoints;
} took;

/* Those who compute, of all, and which of them this one is. `born`: what --kill calls it. */
static int born, size, workers, place, is_keeper, has_fewer, is_restarted, finished;
static long *needed;
static double *q, rhs_norm;
static MPI_Comm work = MPI_COMM_NULL;

#define TRY(call)                                                                                  \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        if (code_ != MPI_SUCCESS)                                                                  \
            return code_;                                                                          \
    } while (0)

static const char USAGE[] =
    "pcg [FILE.mtx | FILE.rsa | --poisson 7|27|39 --order N] [--iterations I] [--tolerance T]\n"
    "    [--times N] [--scheme xor|rs:K|sum|weighted:K|mirror|ring|pair]\n"
    "    [--checkpoint-ranks M] [--every K] [--kill RANK@ITERATION]...\n";

static void die(const char *what)
{
    fprintf(stderr, "pcg: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static void *room(size_t count, size_t bytes)
{
    void *made = calloc(count ? count : 1, bytes);
    if (!made)
        die("no memory");
    return made;
}

static long border(int of, int many)
{
    return a.order * of / many;
}

static long first_row(int of)
{
    return border(of, workers);
}

/* In which of many shares a row is. */
static int share_of(long row, int many)
{
    int of = (int)((double)row * many / a.order);
    while (row < border(of, many))
        of--;
    while (row >= border(of + 1, many))
        of++;
    return of;
}

static int owner(long row)
{
    return share_of(row, workers);
}

static void begin_matrix(long order)
{
    a.order = order;
    if (order < workers)
        die("the matrix has fewer rows than there are ranks");
    a.first = first_row(place);
    a.rows = (int)(first_row(place + 1) - a.first);
    a.start = room(a.rows + 1, sizeof *a.start);
}

/* A cube of points, the last of them left out: each is joined to its 6 or 26 neighbours. With 39
 * numbers a row it is like the matrix of a structure: three unknowns in each point, joined to those
 * of the nearest two points in each of six directions. */
static void generate(void)
{
    long n = 1, entries = 0;
    int unknowns = opt.stencil == 39 ? 3 : 1, reach = opt.stencil == 39 ? 2 : 1;
    int others = opt.stencil / unknowns - 1;
    begin_matrix(opt.order);
    while (n * n * n * unknowns < a.order)
        n++;
    a.column = room((size_t)a.rows * opt.stencil, sizeof *a.column);
    a.value = room((size_t)a.rows * opt.stencil, sizeof *a.value);
    for (int row = 0; row < a.rows; row++) {
        long of = (a.first + row) % unknowns, point = (a.first + row) / unknowns;
        long i = point / (n * n), j = point / n % n, k = point % n;
        for (long u = i > reach ? i - reach : 0; u <= i + reach && u < n; u++)
            for (long v = j > reach ? j - reach : 0; v <= j + reach && v < n; v++)
                for (long w = k > reach ? k - reach : 0; w <= k + reach && w < n; w++) {
                    long other = (u * n + v) * n + w, column = other * unknowns;
                    int is_straight = (u != i) + (v != j) + (w != k) <= 1;
                    if (opt.stencil != 27 && !is_straight)
                        continue;
                    for (int at = 0; at < unknowns && column < a.order; at++, column++) {
                        a.column[entries] = (int)(column - a.first);
                        a.value[entries++] =
                            (other == point ? others : -1) * (at == of ? unknowns : 1);
                    }
                }
        a.start[row + 1] = entries;
    }
}

struct entry {
    long row, column;
    double value;
};

static int by_place(const void *one, const void *other)
{
    const struct entry *x = one, *y = other;
    if (x->row != y->row)
        return x->row < y->row ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* What of a file's entries is this rank's; of a symmetric matrix, files may have one half. If they
 * have both, what is on both sides of the diagonal must be in balance. */
static struct {
    struct entry *entry;
    long many, most;
    unsigned long balance;
} kept;

/* A number for an entry above the diagonal. */
static unsigned long mark(unsigned long row, unsigned long column)
{
    unsigned long mixed = (row * 0x9e3779b97f4a7c15 ^ column) * 0xbf58476d1ce4e5b9;
    return mixed ^ mixed >> 29;
}

static void keep(long row, long column, double value, int is_symmetric)
{
    if (!is_symmetric)
        kept.balance += row < column ? mark(row, column) : row > column ? -mark(column, row) : 0;
    for (int turn = 0; turn < (is_symmetric && row != column ? 2 : 1); turn++) {
        struct entry here = {turn ? column : row, turn ? row : column, value};
        if (here.row < a.first || here.row >= a.first + a.rows)
            continue;
        if (kept.many == kept.most) {
            kept.most = kept.most ? 2 * kept.most : 1024;
            if (!(kept.entry = realloc(kept.entry, kept.most * sizeof here)))
                die("no memory");
        }
        kept.entry[kept.many++] = here;
    }
}

static void make_rows(void)
{
    if (a.order > INT_MAX)
        die("the matrix has more rows than can be read from a file");
    if (kept.balance != 0)
        die("the matrix is not symmetric; choose another one");
    qsort(kept.entry, kept.many, sizeof *kept.entry, by_place);
    a.column = room(kept.many, sizeof *a.column);
    a.value = room(kept.many, sizeof *a.value);
    for (long at = 0; at < kept.many; at++) {
        a.column[at] = (int)(kept.entry[at].column - a.first);
        a.value[at] = kept.entry[at].value;
        a.start[kept.entry[at].row - a.first + 1] = at + 1;
    }
    for (int row = 0; row < a.rows; row++)
        if (a.start[row + 1] == 0)
            a.start[row + 1] = a.start[row];
    free(kept.entry);
    memset(&kept, 0, sizeof kept);
}

/* The file that is read, and how far. */
static struct {
    const char *name;
    FILE *file;
    long line;
} source;

static void refuse(const char *what)
{
    char words[1280];
    snprintf(words, sizeof words, "%.1000s, line %ld: %s", source.name, source.line, what);
    die(words);
}

static void open_source(const char *name)
{
    source.name = name;
    source.file = fopen(name, "r");
    if (!source.file)
        refuse("the matrix cannot be read");
}

static void next_line(char line[1024])
{
    source.line++;
    if (!fgets(line, 1024, source.file))
        refuse("the matrix ends too early; fetch the file again");
}

/* Every rank reads the file and keeps its rows. */
static void read_matrix_market(const char *name)
{
    char line[1024], kind[64], symmetry[64];
    long rows, columns, lines;
    open_source(name);
    next_line(line);
    if (sscanf(line, "%%%%MatrixMarket matrix coordinate %63s %63s", kind, symmetry) != 2)
        refuse("not Matrix Market's coordinate form, nor is the file called .rsa or .rua");
    int is_symmetric = strcmp(symmetry, "symmetric") == 0;
    int is_pattern = strcmp(kind, "pattern") == 0;
    if (strcmp(kind, "complex") == 0 || (!is_symmetric && strcmp(symmetry, "general") != 0))
        refuse("the matrix must be real and symmetric; choose another one");
    do
        next_line(line);
    while (line[0] == '%');
    if (sscanf(line, "%ld %ld %ld", &rows, &columns, &lines) != 3)
        refuse("here the rows, columns and entries are expected, such as: 100 100 298");
    if (rows != columns)
        refuse("the matrix is not square; choose another one");
    begin_matrix(rows);
    for (long at = 0; at < lines; at++) {
        struct entry e = {0, 0, 1};
        next_line(line);
        if (sscanf(line, "%ld %ld %lf", &e.row, &e.column, &e.value) < (is_pattern ? 2 : 3))
            refuse("here a row, a column and a value are expected, such as: 2 1 -0.5");
        if (e.row < 1 || e.row > rows || e.column < 1 || e.column > rows)
            refuse("outside of the matrix; rows and columns go from 1 to what the size says");
        if (!isfinite(e.value))
            refuse("not a finite number; correct it");
        keep(e.row - 1, e.column - 1, e.value, is_symmetric);
    }
    fclose(source.file);
    make_rows();
}

/* A column of a fixed-format file; Fortran's D is C's E. */
static double field(const char *line, int from, int width)
{
    char text[64] = "";
    if (width >= (int)sizeof text || (int)strlen(line) <= from)
        refuse("the line is too short; fetch the file again");
    snprintf(text, sizeof text, "%.*s", width, line + from);
    for (char *c = text; *c; c++)
        if (*c == 'D' || *c == 'd')
            *c = 'E';
    return atof(text);
}

/* The count and the width of a format such as (16I5) or (1P,4E20.12). */
static void read_format(const char *text, int *count, int *width)
{
    const char *letter = text + strcspn(text, "IiEeDdFfGg"), *digits = letter;
    while (digits > text && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    *count = digits == letter ? 1 : atoi(digits);
    *width = *letter ? atoi(letter + 1) : 0;
    if (*count < 1 || *width < 1)
        refuse("here formats are expected, such as: (16I5) (16I5) (4E20.12)");
}

/* Numbers from `least` to `most`: all others are refused. */
static double *read_fields(long many, const char *format, double least, double most)
{
    char line[1024] = "";
    int count, width;
    double *number = room(many, sizeof *number);
    read_format(format, &count, &width);
    for (long at = 0; at < many; at++) {
        if (at % count == 0)
            next_line(line);
        number[at] = field(line, (int)(at % count) * width, width);
        if (!(number[at] >= least && number[at] <= most))
            refuse("outside of the matrix, or not a finite number; fetch the file again");
    }
    return number;
}

/* Harwell and Boeing's form: columns of a real symmetric assembled matrix. */
static void read_harwell_boeing(const char *name)
{
    char head[5][1024], pointers[17] = "", indices[17] = "", values[21] = "";
    open_source(name);
    for (int at = 0; at < 4; at++)
        next_line(head[at]);
    char kind[4] = "";
    sscanf(head[2], "%3s", kind);
    int is_symmetric = strcmp(kind, "RSA") == 0 || strcmp(kind, "rsa") == 0;
    if (!is_symmetric && strcmp(kind, "RUA") != 0 && strcmp(kind, "rua") != 0)
        refuse("the matrix must be real and assembled: RSA or RUA");
    long rows = (long)field(head[2], 14, 14), columns = (long)field(head[2], 28, 14);
    long entries = (long)field(head[2], 42, 14);
    if (rows != columns)
        refuse("the matrix is not square; choose another one");
    if (sscanf(head[3], "%16s %16s %20s", pointers, indices, values) != 3)
        refuse("here formats are expected, such as: (16I5) (16I5) (4E20.12)");
    if (field(head[1], 56, 14) > 0)
        next_line(head[4]);
    begin_matrix(rows);
    double *start = read_fields(columns + 1, pointers, 1, entries + 1);
    double *row = read_fields(entries, indices, 1, rows);
    double *value = read_fields(entries, values, -DBL_MAX, DBL_MAX);
    fclose(source.file);
    for (long column = 0; column < columns; column++)
        for (long at = (long)start[column] - 1; at < (long)start[column + 1] - 1; at++)
            keep((long)row[at] - 1, column, value[at], is_symmetric);
    make_rows();
    free(start), free(row), free(value);
}

static int is_harwell_boeing(const char *name)
{
    const char *ending = strrchr(name, '.');
    return ending && strlen(ending) == 4 && strchr("rR", ending[1]) && strchr("aA", ending[3]);
}

static int by_number(const void *one, const void *other)
{
    long x = *(const long *)one, y = *(const long *)other;
    return (x > y) - (x < y);
}

static int is_own(long at)
{
    return a.column[at] >= 0 && a.column[at] < a.rows;
}

/* Which rows of others are needed, in order; columns become local. */
static void localise(void)
{
    long entries = a.start[a.rows], others = 0;
    for (long at = 0; at < entries; at++)
        others += !is_own(at);
    needed = room(others, sizeof *needed);
    others = 0;
    for (long at = 0; at < entries; at++)
        if (!is_own(at))
            needed[others++] = a.first + a.column[at];
    qsort(needed, others, sizeof *needed, by_number);
    a.halo = 0;
    for (long at = 0; at < others; at++)
        if (at == 0 || needed[at] != needed[a.halo - 1])
            needed[a.halo++] = needed[at];
    a.diagonal = room(a.rows, sizeof *a.diagonal);
    for (int row = 0; row < a.rows; row++)
        for (long at = a.start[row]; at < a.start[row + 1]; at++) {
            long wanted = a.first + a.column[at];
            if (!is_own(at))
                a.column[at] = a.rows + (int)((long *)bsearch(&wanted, needed, a.halo,
                                                              sizeof wanted, by_number) - needed);
            else if (a.column[at] == row)
                a.diagonal[row] = a.value[at];
        }
    for (int row = 0; row < a.rows; row++)
        if (!(a.diagonal[row] > 0))
            die("the matrix is not positive definite: a number on its diagonal is missing or not "
                "positive; choose another one");
}

/* What has begun comes to its end. After a failure, it must not write to memory that is given
 * back. */
static int finish(MPI_Request *request, int many, int code)
{
    if (code == MPI_SUCCESS)
        code = MPI_Waitall(many, request, MPI_STATUSES_IGNORE);
    for (int i = 0; code != MPI_SUCCESS && i < many; i++)
        if (request[i] != MPI_REQUEST_NULL) {
            MPI_Cancel(&request[i]);
            MPI_Request_free(&request[i]);
        }
    return code;
}

/* To each peer what is `out` for it, and from each what is to come `in`; the borders say where. */
static int swap(void *in, const int *into, const void *out, const int *from, MPI_Datatype type,
                int bytes)
{
    int many = 0, code = MPI_SUCCESS;
    for (int p = 0; p < halo.peers && code == MPI_SUCCESS; p++) {
        code = MPI_Irecv((char *)in + (size_t)into[p] * bytes, into[p + 1] - into[p], type,
                         halo.peer[p], DATA_TAG, work, &halo.request[many]);
        many += code == MPI_SUCCESS;
    }
    for (int p = 0; p < halo.peers && code == MPI_SUCCESS; p++) {
        code = MPI_Isend((const char *)out + (size_t)from[p] * bytes, from[p + 1] - from[p], type,
                         halo.peer[p], DATA_TAG, work, &halo.request[many]);
        many += code == MPI_SUCCESS;
    }
    return finish(halo.request, many, code);
}

/* The peers: who has what is needed here. The matrix is symmetric, so they need something, too. */
static void find_peers(void)
{
    int peers = 0;
    for (int at = 0; at < a.halo; at++)
        peers += at == 0 || owner(needed[at]) != owner(needed[at - 1]);
    halo.peer = room(peers, sizeof *halo.peer);
    halo.got = room(peers + 1, sizeof *halo.got);
    halo.given = room(peers + 1, sizeof *halo.given);
    halo.request = room(2 * peers, sizeof *halo.request);
    for (int at = 0; at < a.halo; at++) {
        if (at == 0 || owner(needed[at]) != owner(needed[at - 1]))
            halo.peer[halo.peers++] = owner(needed[at]);
        halo.got[halo.peers] = at + 1;
    }
}

/* Tells the peers which of their numbers are needed here. The same at each recovery: who was
 * started again has to hear it. */
static int plan_halo(void)
{
    if (!halo.peer)
        find_peers();
    int *wants = room(halo.peers, sizeof *wants), *gives = room(halo.peers, sizeof *gives);
    int *one_each = room(halo.peers + 1, sizeof *one_each);
    for (int p = 0; p < halo.peers; p++) {
        wants[p] = halo.got[p + 1] - halo.got[p];
        one_each[p + 1] = p + 1;
    }
    int code = swap(gives, one_each, wants, one_each, MPI_INT, sizeof(int));
    if (code == MPI_SUCCESS) {
        for (int p = 0; p < halo.peers; p++)
            halo.given[p + 1] = halo.given[p] + gives[p];
        int all = halo.given[halo.peers];
        long *asked = room(all, sizeof *asked);
        code = swap(asked, halo.given, needed, halo.got, MPI_LONG, sizeof(long));
        if (code == MPI_SUCCESS && !halo.index) {
            halo.index = room(all, sizeof *halo.index);
            halo.room = room(all, sizeof *halo.room);
            for (int at = 0; at < all; at++)
                halo.index[at] = (int)(asked[at] - a.first);
        }
        free(asked);
    }
    free(wants), free(gives), free(one_each);
    return code;
}

/* The rows of this rank, and room for what it computes. */
static void build_part(void)
{
    if (opt.file && is_harwell_boeing(opt.file))
        read_harwell_boeing(opt.file);
    else if (opt.file)
        read_matrix_market(opt.file);
    else
        generate();
    localise();
    s.x = room(a.rows, sizeof *s.x);
    s.r = room(a.rows, sizeof *s.r);
    s.p = room(a.rows + a.halo, sizeof *s.p);
    q = room(a.rows, sizeof *q);
}

/* Brings what others have of `v`, which has room for it behind its own numbers. */
static int exchange(double *v)
{
    for (int at = 0; at < halo.given[halo.peers]; at++)
        halo.room[at] = v[halo.index[at]];
    return swap(v + a.rows, halo.got, halo.room, halo.given, MPI_DOUBLE, sizeof(double));
}

/* out = A v; returns v . out of the own rows. */
static double multiply(const double *restrict v, double *restrict out)
{
    double dot = 0;
    for (int row = 0; row < a.rows; row++) {
        double sum = 0;
        for (long at = a.start[row]; at < a.start[row + 1]; at++)
            sum += a.value[at] * v[a.column[at]];
        out[row] = sum;
        dot += v[row] * sum;
    }
    return dot;
}

static int sum_over(double mine, double *all)
{
    return MPI_Allreduce(&mine, all, 1, MPI_DOUBLE, MPI_SUM, work);
}

/* From x = 0; the right side is that of the solution 1. */
static int begin(void)
{
    double mine = 0, squares = 0;
    for (int row = 0; row < a.rows + a.halo; row++)
        s.p[row] = 1;
    multiply(s.p, s.r);
    for (int row = 0; row < a.rows; row++) {
        s.x[row] = 0;
        s.p[row] = s.r[row] / a.diagonal[row];
        mine += s.r[row] * s.p[row];
    }
    s.iteration = 0;
    TRY(sum_over(mine, &s.rho));
    for (int row = 0; row < a.rows; row++)
        squares += s.r[row] * s.r[row];
    return sum_over(squares, &rhs_norm);
}

/* What is computed next costs so much with ftrun --virtual, where time is another machine's. */
static void declare(double flops, double bytes)
{
#ifdef FT_MPI_CHECK_RECOVER
    ftmpi_compute_work(flops, bytes);
#endif
}

static int iterate(double *residual)
{
    double pq, next, mine = 0, squares = 0;
    double entries = a.start[a.rows];
    TRY(exchange(s.p));
    declare(2 * entries, 12 * entries);
    TRY(sum_over(multiply(s.p, q), &pq));
    /* Solved so well that what is left is too small for a number. */
    if (pq == 0 || s.rho == 0) {
        *residual = 0;
        return MPI_SUCCESS;
    }
    double alpha = s.rho / pq;
    declare(10.0 * a.rows, 72.0 * a.rows);
    for (int row = 0; row < a.rows; row++) {
        s.x[row] += alpha * s.p[row];
        s.r[row] -= alpha * q[row];
        squares += s.r[row] * s.r[row];
        mine += s.r[row] * s.r[row] / a.diagonal[row];
    }
    double sums[2] = {mine, squares}, all[2];
    TRY(MPI_Allreduce(sums, all, 2, MPI_DOUBLE, MPI_SUM, work));
    next = all[0];
    *residual = sqrt(all[1] / rhs_norm);
    declare(3.0 * a.rows, 32.0 * a.rows);
    for (int row = 0; row < a.rows; row++)
        s.p[row] = s.r[row] / a.diagonal[row] + next / s.rho * s.p[row];
    s.rho = next;
    s.iteration++;
    return MPI_SUCCESS;
}

/* |b - A x| / |b|, from scratch. */
static int true_residual(double *residual)
{
    double squares = 0, all;
    for (int row = 0; row < a.rows; row++)
        s.p[row] = s.x[row];
    TRY(exchange(s.p));
    multiply(s.p, q);
    for (int row = 0; row < a.rows; row++) {
        double b = 0;
        for (long at = a.start[row]; at < a.start[row + 1]; at++)
            b += a.value[at];
        squares += (b - q[row]) * (b - q[row]);
    }
    TRY(sum_over(squares, &all));
    *residual = sqrt(all / rhs_norm);
    return MPI_SUCCESS;
}

#ifdef FT_MPI_CHECK_RECOVER
static FTCK ck = FTCK_NULL;

/* How often the rows have been shared anew, and whether there is a checkpoint since. Which rank has
 * each of the shares, if that is not its number (BLANK). */
static struct {
    int number, is_saved;
    int *rank;
} shares;

/* What there was before that: it goes when all have a checkpoint of what is now. */
static struct {
    FTCK ck;
    int many, place, *rank;
    double *x, *r, *p;
} old = {.ck = FTCK_NULL};

static void forget_before(void)
{
    if (old.ck == FTCK_NULL)
        return;
    FTCK_Free(&old.ck);
    free(old.rank), free(old.x), free(old.r), free(old.p);
}

static void prepare_checkpoints(void)
{
    char scheme[128];
    int is_one = strcmp(opt.scheme, "xor") == 0 || strcmp(opt.scheme, "sum") == 0;
    if (opt.keepers == 0 || strcmp(opt.scheme, "mirror") == 0)
        snprintf(scheme, sizeof scheme, "%s", opt.scheme);
    else if (strchr(opt.scheme, ':'))
        snprintf(scheme, sizeof scheme, "%s,dedicated", opt.scheme);
    else if (is_one)
        snprintf(scheme, sizeof scheme, "%s,dedicated,groups=%d", opt.scheme, opt.keepers);
    else
        snprintf(scheme, sizeof scheme, "%s:%d,dedicated", opt.scheme, opt.keepers);
    int code = FTCK_Create(MPI_COMM_WORLD, scheme, &ck);
    if (code != MPI_SUCCESS) {
        char words[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, words, &length);
        die(words);
    }
    if (is_keeper)
        return;
    FTCK_Register(ck, 0, s.x, a.rows, MPI_DOUBLE);
    FTCK_Register(ck, 1, s.r, a.rows, MPI_DOUBLE);
    FTCK_Register(ck, 2, s.p, a.rows, MPI_DOUBLE);
    FTCK_Register(ck, 3, &s.rho, 1, MPI_DOUBLE);
    FTCK_Register(ck, 4, &rhs_norm, 1, MPI_DOUBLE);
    FTCK_Register(ck, 5, &s.iteration, 1, MPI_INT);
    FTCK_Register(ck, 6, &s.turn, 1, MPI_INT);
}

/* There may be fewer ranks than the scheme needs: all are told. */
static int do_without(int code)
{
    int class, length;
    char words[MPI_MAX_ERROR_STRING];
    MPI_Error_class(code, &class);
    if (class != MPI_ERR_ARG)
        return code;
    MPI_Error_string(code, words, &length);
    if (place == 0)
        fprintf(stderr, "%spcg: it goes on without checkpoints: %s\n",
                isatty(STDERR_FILENO) ? "\033[K" : "", words);
    FTCK_Free(&ck);
    return MPI_SUCCESS;
}

/* All ranks, those that keep codes as well, go on or end together. A checkpoint takes from when the
 * first of them begins until the first is done: who computes still, or computes again, is not what
 * it costs. All hear of that before the next one. */
static int checkpoint(int goes_on)
{
    enum { BEGUN, DONE, NEXT };
    static double mine[3] = {HUGE_VAL, HUGE_VAL};
    double first[3];
    if (ck == FTCK_NULL)
        return MPI_SUCCESS;
    mine[NEXT] = is_keeper ? HUGE_VAL : goes_on ? s.iteration : -1;
    TRY(MPI_Allreduce(mine, first, 3, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD));
    forget_before();
    /* Who has not heard of one for a failure tells it again. */
    if (first[DONE] < HUGE_VAL && first[BEGUN] >= took.until) {
        took.checkpoint += first[DONE] - first[BEGUN];
        took.until = first[DONE];
        took.checkpoints++;
    }
    mine[BEGUN] = MPI_Wtime();
    mine[DONE] = HUGE_VAL;
    finished = first[NEXT] < 0;
    if (finished)
        return MPI_SUCCESS;
    s.iteration = (int)first[NEXT];
    int code = FTCK_Checkpoint(ck, s.iteration);
    if (code != MPI_SUCCESS)
        return has_fewer ? do_without(code) : code;
    shares.is_saved = 1;
    mine[DONE] = MPI_Wtime();
    return MPI_SUCCESS;
}

static int failures(void)
{
    int many = 0, is_there = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, &many, &is_there);
    return is_there ? many : 0;
}

static int restore(int *version)
{
    *version = FTCK_NONE;
    if (ck == FTCK_NULL)
        return MPI_SUCCESS;
    double start = MPI_Wtime();
    int code = FTCK_Restore(ck, version);
    if (code == FTCK_ERR_LOST) {
        char words[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(code, words, &length);
        // All are told, and one says it. Should it die before, all are told again.
        if (place != 0 || is_keeper)
            return MPI_Barrier(MPI_COMM_WORLD);
        fprintf(stderr, "%spcg: %s\n", isatty(STDERR_FILENO) ? "\033[K" : "", words);
        MPI_Abort(MPI_COMM_WORLD, 4);
    }
    // With nothing to restore, it has made room for what is to come.
    if (*version == FTCK_NONE && failures() == 0)
        took.set_up += MPI_Wtime() - start;
    else
        took.data += MPI_Wtime() - start;
    return code;
}

static void free_part(void)
{
    free(a.start), free(a.column), free(a.value), free(a.diagonal), free(needed), free(q);
    free(halo.peer), free(halo.got), free(halo.given), free(halo.index), free(halo.room);
    free(halo.request);
    memset(&halo, 0, sizeof halo);
}

/* What this rank has of the solution is that of before, for which there is a checkpoint. */
static void go_back(void)
{
    if (ck != FTCK_NULL)
        FTCK_Free(&ck);
    free(shares.rank), free(s.x), free(s.r), free(s.p);
    ck = old.ck, workers = old.many, place = old.place, shares.rank = old.rank;
    s.x = old.x, s.r = old.r, s.p = old.p;
    old.ck = FTCK_NULL;
    shares.number--, shares.is_saved = 1;
}

/* After a failure, all go on from a checkpoint that all have: that of how the rows are shared now,
 * or that of before. */
static int agree_on_shares(void)
{
    if (!has_fewer || ck == FTCK_NULL)
        return MPI_SUCCESS;
    int mine = shares.is_saved ? shares.number : shares.number - 1, common;
    TRY(MPI_Allreduce(&mine, &common, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    if (old.ck != FTCK_NULL && common < shares.number)
        go_back();
    else
        forget_before();
    return MPI_SUCCESS;
}

static long earlier(long one, long other)
{
    return one < other ? one : other;
}

static long later(long one, long other)
{
    return one > other ? one : other;
}

/* Brings this rank what it has now of the vectors, from those who had it or have adopted it. */
static int move_rows(void)
{
    int many = old.many, count = 0, requests = 0, code = MPI_SUCCESS;
    int *orphan = room(many, sizeof *orphan), *mine = room(many, sizeof *mine);
    int *holder = room(many, sizeof *holder);
    double *(*held)[3] = room(many, sizeof *held), *to[3] = {s.x, s.r, s.p};
    double *own[3] = {old.x, old.r, old.p};
    memcpy(held[old.place], own, sizeof own);
    FTCK_Orphans(old.ck, many, orphan, &count);
    for (int o = 0; o < count; o++) {
        int p = orphan[o] < many ? orphan[o] : many - 1;
        while (old.rank && old.rank[p] != orphan[o])
            p--;
        int rows = (int)(border(p + 1, many) - border(p, many));
        for (int v = 0; v < 3; v++) {
            held[p][v] = room(rows, sizeof(double));
            if (code == MPI_SUCCESS)
                code = FTCK_Adopt(old.ck, orphan[o], v, held[p][v], rows, MPI_DOUBLE);
        }
    }
    for (int p = 0; p < many; p++)
        mine[p] = held[p][0] ? place : -1;
    if (code == MPI_SUCCESS)
        code = MPI_Allreduce(mine, holder, many, MPI_INT, MPI_MAX, work);
    MPI_Request *request = room(3 * ((size_t)many + (size_t)(count + 1) * workers),
                                sizeof *request);
    long end = a.first + a.rows;
    for (int p = share_of(a.first, many); p < many && border(p, many) < end; p++) {
        long first = later(border(p, many), a.first), behind = earlier(border(p + 1, many), end);
        for (int v = 0; v < 3 && code == MPI_SUCCESS; v++, requests += code == MPI_SUCCESS)
            code = MPI_Irecv(to[v] + first - a.first, (int)(behind - first), MPI_DOUBLE, holder[p],
                             ROW_TAG + 3 * p + v, work, &request[requests]);
    }
    for (int p = 0; p < many; p++) {
        long begin = border(p, many), last = border(p + 1, many);
        for (int w = owner(begin); held[p][0] && w < workers && first_row(w) < last; w++) {
            long first = later(begin, first_row(w)), behind = earlier(last, first_row(w + 1));
            for (int v = 0; v < 3 && code == MPI_SUCCESS; v++, requests += code == MPI_SUCCESS)
                code = MPI_Isend(held[p][v] + first - begin, (int)(behind - first), MPI_DOUBLE, w,
                                 ROW_TAG + 3 * p + v, work, &request[requests]);
        }
    }
    code = finish(request, requests, code);
    for (int p = 0; p < many; p++)
        for (int v = 0; v < 3 && p != old.place; v++)
            free(held[p][v]);
    free(orphan), free(mine), free(holder), free(held), free(request);
    return code;
}

/* Those who are left share the rows anew. What there was before stays until there is a checkpoint
 * of what is now. */
static int share_anew(int *version)
{
    int now, has_gap, some_have;
    free_part();
    if (ck == FTCK_NULL)
        free(s.x), free(s.r), free(s.p);
    else {
        old.ck = ck, old.many = workers, old.place = place, old.rank = shares.rank;
        old.x = s.x, old.r = s.r, old.p = s.p;
        ck = FTCK_NULL;
    }
    shares.number++, shares.is_saved = 0;
    shares.rank = NULL;
    MPI_Comm_size(work, &workers);
    MPI_Comm_rank(work, &place);
    MPI_Comm_rank(MPI_COMM_WORLD, &now);
    build_part();
    has_gap = now != place;
    TRY(MPI_Allreduce(&has_gap, &some_have, 1, MPI_INT, MPI_MAX, work));
    if (some_have) {
        shares.rank = room(workers, sizeof *shares.rank);
        TRY(MPI_Allgather(&now, 1, MPI_INT, shares.rank, 1, MPI_INT, work));
    }
    if (opt.scheme && workers > 1)
        prepare_checkpoints();
    TRY(plan_halo());
    if (*version == FTCK_NONE)
        return MPI_SUCCESS;
    TRY(move_rows());
    *version = NOT_SAVED;
    return MPI_SUCCESS;
}

/* Whether nobody takes the place of the dead. */
static int goes_on_with_fewer(void)
{
    int *mode, is_there;
    MPI_Comm_get_attr(MPI_COMM_WORLD, FTMPI_COMM_MODE, &mode, &is_there);
    return !is_there || *mode != FTMPI_COMM_MODE_REBUILD;
}

static void recover(void)
{
    int now, tries = 0;
    MPI_Comm repaired = FT_MPI_CHECK_RECOVER;
    /* Each further failure is one of somebody else. */
    while (MPI_Comm_dup(MPI_COMM_WORLD, &repaired) != MPI_SUCCESS && tries++ < 2 * size)
        repaired = FT_MPI_CHECK_RECOVER;
    if (tries > 2 * size)
        die("MPI_COMM_WORLD does not recover: start it with --mode rebuild, shrink or blank");
    MPI_Comm_free(&repaired);
    if (work != MPI_COMM_NULL)
        MPI_Comm_free(&work);
    has_fewer = goes_on_with_fewer();
    if (!has_fewer || opt.codes == 0)
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &now);
    if (now != 0)
        MPI_Barrier(MPI_COMM_WORLD);
    die("with ranks that keep codes it goes on with as many as it began with: start it with "
        "--mode rebuild");
}
#else
static int agree_on_shares(void)
{
    return MPI_SUCCESS;
}

static int share_anew(int *version)
{
    (void)version;
    return MPI_SUCCESS;
}

static void prepare_checkpoints(void)
{
    die("this MPI survives no failure");
}
static int checkpoint(int goes_on)
{
    (void)goes_on;
    return MPI_SUCCESS;
}
static int restore(int *version)
{
    *version = -1;
    return MPI_SUCCESS;
}
static void recover(void)
{
    die("a failure");
}
static int failures(void)
{
    return 0;
}
#endif

/* A line on a terminal that the next one overwrites. The cursor waits at its beginning. */
static void show_progress(double residual)
{
    static double shown = -1;
    double now = MPI_Wtime();
    if (place != 0 || now - shown < 0.2 || !isatty(STDERR_FILENO))
        return;
    shown = now;
    fprintf(stderr, "\033[Kiteration %d of %d, residual %.1e, %d failures survived\r", s.iteration,
            opt.iterations, residual, failures());
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO))
        fputs("\033[K", stderr);
}

static void read_options(int argc, char **argv)
{
    for (int at = 1; at < argc; at++) {
        const char *word = argv[at], *value = at + 1 < argc ? argv[at + 1] : "";
        if (strcmp(word, "--help") == 0) {
            if (born == 0)
                fputs(USAGE, stdout);
            MPI_Finalize();
            exit(0);
        }
        if (word[0] != '-') {
            opt.file = word;
            continue;
        }
        if (strcmp(word, "--poisson") == 0)
            opt.stencil = atoi(value);
        else if (strcmp(word, "--order") == 0)
            opt.order = atol(value);
        else if (strcmp(word, "--iterations") == 0)
            opt.iterations = atoi(value);
        else if (strcmp(word, "--times") == 0)
            opt.times = atoi(value);
        else if (strcmp(word, "--tolerance") == 0)
            opt.tolerance = atof(value);
        else if (strcmp(word, "--scheme") == 0)
            opt.scheme = value;
        else if (strcmp(word, "--checkpoint-ranks") == 0)
            opt.keepers = atoi(value);
        else if (strcmp(word, "--every") == 0)
            opt.every = atoi(value);
        else if (strcmp(word, "--kill") == 0 && opt.kills < MOST_KILLS &&
                 sscanf(value, "%d@%d", &opt.victim[opt.kills], &opt.moment[opt.kills]) == 2)
            opt.kills++;
        else {
            if (born == 0)
                fprintf(stderr, "pcg: %s %s is not understood\n%s", word, value, USAGE);
            else
                MPI_Barrier(MPI_COMM_WORLD);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
        at++;
    }
    if (opt.stencil != 7 && opt.stencil != 27 && opt.stencil != 39)
        die("--poisson is 7, 27 or 39");
    if (opt.keepers < 0 || opt.keepers >= size || opt.every < 1 || (opt.keepers && !opt.scheme))
        die("--checkpoint-ranks wants a scheme and fewer than all ranks; --every at least 1");
}

/* What has to be there before and after each recovery. */
static int set_up(void)
{
    int now, many;
    MPI_Comm_rank(MPI_COMM_WORLD, &now);
    if (workers == size && !has_fewer)
        TRY(MPI_Comm_dup(MPI_COMM_WORLD, &work));
    else
        TRY(MPI_Comm_split(MPI_COMM_WORLD, is_keeper, now, &work));
    MPI_Comm_set_errhandler(work, MPI_ERRORS_RETURN);
    TRY(agree_on_shares());
    MPI_Comm_size(work, &many);
    return is_keeper || many < workers ? MPI_SUCCESS : plan_halo();
}

static void meet_orders(void)
{
    for (int k = 0; k < opt.kills; k++) {
        int is_due = is_keeper ? opt.moment[k] <= s.iteration : opt.moment[k] == s.iteration;
        if (!is_restarted && opt.victim[k] == born && is_due)
            raise(SIGKILL);
    }
}

static int solve(double *residual)
{
    int version, many;
    TRY(restore(&version));
    // Some may have ended before somebody died, and have to go on.
    finished = 0;
    if (is_keeper) {
        while (!finished) {
            TRY(checkpoint(0));
            meet_orders();
        }
        return MPI_SUCCESS;
    }
    MPI_Comm_size(work, &many);
    if (many < workers)
        TRY(share_anew(&version));
    if (version < 0) {
        s.turn = 0;
        TRY(begin());
    }
    for (;;) {
        *residual = 1;
        while (s.iteration < opt.iterations && *residual > opt.tolerance) {
            if (s.iteration % opt.every == 0 && s.iteration != version)
                TRY(checkpoint(1));
            meet_orders();
            TRY(iterate(residual));
            version = NOT_SAVED;
            show_progress(*residual);
        }
        TRY(true_residual(residual));
        if (++s.turn >= opt.times)
            break;
        TRY(begin());
    }
    return checkpoint(0);
}

int main(int argc, char **argv)
{
    int code = MPI_Init(&argc, &argv);
    double residual = 0, start = MPI_Wtime();
#ifdef FT_MPI_CHECK_RECOVER
    is_restarted = code == MPI_INIT_RESTARTED_PROCS;
#endif
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &born);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    read_options(argc, argv);
    workers = size - opt.keepers;
    if (opt.scheme && strcmp(opt.scheme, "mirror") == 0)
        workers = size / 2;
    place = born;
    is_keeper = born >= workers;
    opt.codes = size - workers;
    if (!is_keeper)
        build_part();
    if (opt.scheme)
        prepare_checkpoints();
    for (;;) {
        double before = MPI_Wtime();
        code = set_up();
        if (failures() > 0)
            took.environment += MPI_Wtime() - before;
        else
            took.set_up = MPI_Wtime() - start;
        if (code == MPI_SUCCESS)
            code = solve(&residual);
        if (code == MPI_SUCCESS)
            code = MPI_Barrier(MPI_COMM_WORLD);
        if (code == MPI_SUCCESS)
            break;
        before = MPI_Wtime();
        recover();
        took.environment += MPI_Wtime() - before;
    }
    if (place == 0) {
        end_progress();
        double whole = MPI_Wtime() - start - took.set_up, recovery = took.environment + took.data;
        printf("%ld rows on %d ranks, %d more keep codes\n", a.order, workers, opt.codes);
        printf("time %.6f s and %.6f to set up: computation %.6f, checkpoints %.6f (%d), "
               "recovery %.6f (environment %.6f, data %.6f)\n",
               whole, took.set_up, whole - took.checkpoint - recovery, took.checkpoint,
               took.checkpoints, recovery, took.environment, took.data);
        printf("residual %.6e iterations %d failures %d\n", residual, s.iteration, failures());
    }
    MPI_Finalize();
    return 0;
}
