/* A square matrix by rows, so many a rank, turned over: `transpose ROWS` prints the microseconds of
 * one transposition: blocks are turned, and an alltoall brings each to the rank of its rows. */
#include "app.h"

static double *matrix, *blocks, *arrived;
static int rows, columns, steps;

static double entry(int row, int column)
{
    return (double)row * columns + column;
}

static void step(void)
{
    enum { TILE = 16 };
    for (int to = 0; to < size; to++) {
        double *block = blocks + (size_t)to * rows * rows;
        for (int i0 = 0; i0 < rows; i0 += TILE)
            for (int j0 = 0; j0 < rows; j0 += TILE)
                for (int j = j0; j < j0 + TILE && j < rows; j++)
                    for (int i = i0; i < i0 + TILE && i < rows; i++)
                        block[j * rows + i] = matrix[(size_t)i * columns + to * rows + j];
    }
    MPI_Alltoall(blocks, rows * rows, MPI_DOUBLE, arrived, rows * rows, MPI_DOUBLE,
                 MPI_COMM_WORLD);
    for (int from = 0; from < size; from++)
        for (int i = 0; i < rows; i++)
            memcpy(matrix + (size_t)i * columns + from * rows,
                   arrived + ((size_t)from * rows + i) * rows, rows * sizeof *matrix);
    steps++;
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    rows = argc > 1 ? atoi(argv[1]) : 64;
    columns = rows * size;
    matrix = malloc(3 * sizeof *matrix * rows * columns);
    blocks = matrix + (size_t)rows * columns;
    arrived = blocks + (size_t)rows * columns;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            matrix[(size_t)i * columns + j] = entry(rank * rows + i, j);
    double took = time_steps(step, size > 16 ? 15 : 50);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            int row = rank * rows + i;
            double wanted = steps % 2 ? entry(j, row) : entry(row, j);
            expect(matrix[(size_t)i * columns + j] == wanted, "rows and columns change places");
        }
    end(took);
    return 0;
}
