/* Arithmetic on IEEE quads (Fortran's REAL(16)), which stable Rust has no type for: the compiler's
 * own software does it. Operands may lie anywhere. */
#include <stddef.h>
#include <string.h>

typedef __float128 quad;
typedef struct {
    quad re, im;
} complex_quad;

static inline quad plus(quad a, quad b) { return a + b; }
static inline quad times(quad a, quad b) { return a * b; }
static inline quad lower(quad a, quad b) { return b < a ? b : a; }
static inline quad upper(quad a, quad b) { return b > a ? b : a; }

static inline complex_quad complex_plus(complex_quad a, complex_quad b)
{
    return (complex_quad){a.re + b.re, a.im + b.im};
}

static inline complex_quad complex_times(complex_quad a, complex_quad b)
{
    return (complex_quad){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Every element of `inout` becomes what `combine` makes of the two. */
#define OPERATION(name, type, combine)                                                             \
    __attribute__((visibility("hidden"))) void name(const char *input, char *inout, size_t count)  \
    {                                                                                              \
        for (size_t index = 0; index < count; index++) {                                           \
            type a, b;                                                                             \
            memcpy(&a, input + index * sizeof a, sizeof a);                                        \
            memcpy(&b, inout + index * sizeof b, sizeof b);                                        \
            b = combine(a, b);                                                                     \
            memcpy(inout + index * sizeof b, &b, sizeof b);                                        \
        }                                                                                          \
    }

OPERATION(ftmpi_quad_sum, quad, plus)
OPERATION(ftmpi_quad_prod, quad, times)
OPERATION(ftmpi_quad_min, quad, lower)
OPERATION(ftmpi_quad_max, quad, upper)
OPERATION(ftmpi_complex_quad_sum, complex_quad, complex_plus)
OPERATION(ftmpi_complex_quad_prod, complex_quad, complex_times)
