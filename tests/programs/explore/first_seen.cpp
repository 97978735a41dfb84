// The mistake: messages are taken to be seen by a probe in the order of their ranks. The other
// ranks have so much to do before that this holds in nearly every order.
#include <algorithm>
#include <iostream>
#include <mpi.h>
#include <vector>

static void work(int turns)
{
    int word = 0, rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < turns; turn++)
        MPI_Sendrecv_replace(&word, 1, MPI_INT, rank, 1, rank, 1, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
}

static int next()
{
    int is_there = 0, word;
    MPI_Status status;
    while (!is_there)
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &is_there, &status);
    MPI_Recv(&word, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return word;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) {
        work(rank == 1 ? 0 : 400);
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    } else {
        std::vector<int> words;
        while (static_cast<int>(words.size()) < size - 1)
            words.push_back(next());
#ifdef MENDED
        std::sort(words.begin(), words.end());
#endif
        for (int word : words)
            std::cout << word << std::endl;
    }
    MPI_Finalize();
    return 0;
}
