! Conjugate gradients with a diagonal preconditioner that survive the deaths of ranks by diskless
! checkpoints: c_examples/pcg.c in Fortran, with the same command line and the same numbers.
!
!     ftrun -np 20 --mode=rebuild ./pcg --poisson 7 --order 164610 --iterations 2000
!         --scheme weighted --checkpoint-ranks 5 --every 100 --kill 3@1000 --kill 7@1000
!
! pcg [FILE.mtx | FILE.rsa | --poisson 7|27|39 --order N] --iterations I --tolerance T --times N
!     --scheme NAME --checkpoint-ranks M --every K --kill RANK@ITERATION...
!
! Under SHRINK and BLANK nobody takes the place of the dead: those who are left share the rows anew.
! That goes without ranks that only keep codes.
MODULE pcg_state
  USE mpi
  USE ftck
  IMPLICIT NONE
  INTEGER, PARAMETER :: DP=KIND(1D0), LONG=SELECTED_INT_KIND(18), DATA_TAG=1, &
    ROW_TAG=2, NOT_SAVED=HUGE(1)
  ! What is asked for.
  CHARACTER(LEN=1024) :: file=''
  CHARACTER(LEN=128) :: scheme=''
  INTEGER :: stencil=7, iterations=1000, times=1, keepers=0, every=100, kills=0
  INTEGER :: victim(256), moment(256)
  INTEGER(LONG) :: order=27000
  REAL(DP) :: tolerance=0
  ! The rows of this rank; columns are local: own ones first, then those of the halo. As long as
  ! the halo is not known, they are counted from the first own one, back and forth.
  INTEGER :: rows=0, halo=0
  INTEGER(LONG) :: first
  INTEGER, ALLOCATABLE :: start(:), column(:), next(:)
  INTEGER(LONG), ALLOCATABLE :: needed(:)
  REAL(DP), ALLOCATABLE :: val(:), diagonal(:)
  ! Who needs which of our numbers, and whose come to us, by ranks.
  INTEGER, ALLOCATABLE :: gets(:), gives(:), got(:), given(:), list(:), request(:)
  REAL(DP), ALLOCATABLE :: room(:)
  ! The state of the solution: what a checkpoint keeps.
  REAL(DP), ALLOCATABLE, TARGET :: x(:), r(:), p(:), q(:)
  REAL(DP), TARGET :: rho, rhs_norm
  INTEGER, TARGET :: iteration, turn
  ! Those who compute, and which of them this one is. born: what --kill calls it.
  INTEGER :: born, ranks, workers, share, codes
  INTEGER :: work=MPI_COMM_NULL, ck=FTCK_NULL, checkpoints=0
  LOGICAL :: is_keeper, is_restarted, has_fewer=.FALSE., finished=.FALSE.
  ! How often the rows have been shared anew, and whether there is a checkpoint since. Which rank
  ! has each of the shares, if that is not its number (BLANK).
  INTEGER :: number=0
  LOGICAL :: is_saved=.FALSE.
  INTEGER, ALLOCATABLE :: holders(:)
  ! What there was before that: it goes when all have a checkpoint of what is now.
  INTEGER :: old_ck=FTCK_NULL, old_workers, old_share
  INTEGER, ALLOCATABLE :: old_holders(:)
  REAL(DP), ALLOCATABLE, TARGET :: old_x(:), old_r(:), old_p(:)
  REAL(DP) :: t_set_up=0, t_checkpoint=0, t_until=0, t_environment=0, t_data=0

  INTERFACE
    INTEGER(C_INT) FUNCTION c_raise(signal) BIND(C, NAME='raise')
      USE ISO_C_BINDING, ONLY: C_INT
      INTEGER(C_INT), VALUE :: signal
    END FUNCTION
  END INTERFACE

CONTAINS

  SUBROUTINE die(what)
    CHARACTER(LEN=*), INTENT(IN) :: what
    INTEGER :: ierr
    WRITE (0, '(2A)') 'pcg: ', what
    CALL MPI_ABORT(MPI_COMM_WORLD, 2, ierr)
    STOP 2
  END SUBROUTINE

  PURE INTEGER(LONG) FUNCTION border(of, many)
    INTEGER, INTENT(IN) :: of, many
    border = order * of / many
  END FUNCTION

  PURE INTEGER(LONG) FUNCTION first_row(of)
    INTEGER, INTENT(IN) :: of
    first_row = border(of, workers)
  END FUNCTION

  ! In which of many shares a row is.
  INTEGER FUNCTION share_of(row, many)
    INTEGER(LONG), INTENT(IN) :: row
    INTEGER, INTENT(IN) :: many
    share_of = INT(REAL(row, DP) * many / order)
    DO WHILE (row < border(share_of, many))
      share_of = share_of - 1
    END DO
    DO WHILE (row >= border(share_of + 1, many))
      share_of = share_of + 1
    END DO
  END FUNCTION

  INTEGER FUNCTION owner(row)
    INTEGER(LONG), INTENT(IN) :: row
    owner = share_of(row, workers)
  END FUNCTION

  LOGICAL FUNCTION is_harwell_boeing()
    INTEGER :: length
    length = LEN_TRIM(file)
    is_harwell_boeing = .FALSE.
    IF (length > 4) is_harwell_boeing = INDEX('.rsa.rua.RSA.RUA', file(length - 3:length)) > 0
  END FUNCTION

  SUBROUTINE begin_matrix
    IF (order < workers) CALL die('the matrix has fewer rows than there are ranks')
    first = first_row(share)
    rows = INT(first_row(share + 1) - first)
    ALLOCATE (start(0:rows))
    start = 0
  END SUBROUTINE

  ! A cube of points, the last of them left out: each is joined to its 6 or 26 neighbours. With 39
  ! numbers a row it is like the matrix of a structure: three unknowns in each point, joined to
  ! those of the nearest two points in each of six directions.
  SUBROUTINE generate
    INTEGER(LONG) :: n, point, i, j, k, u, v, w, other, reach
    INTEGER :: row, entries, unknowns, of, at
    REAL(DP) :: strength
    CALL begin_matrix
    unknowns = MERGE(3, 1, stencil == 39)
    reach = MERGE(2, 1, stencil == 39)
    n = 1
    DO WHILE (n * n * n * unknowns < order)
      n = n + 1
    END DO
    ALLOCATE (column(rows * stencil), val(rows * stencil))
    entries = 0
    DO row = 0, rows - 1
      of = INT(MOD(first + row, INT(unknowns, LONG)))
      point = (first + row) / unknowns
      i = point / (n * n)
      j = MOD(point / n, n)
      k = MOD(point, n)
      DO u = MAX(i - reach, 0_LONG), MIN(i + reach, n - 1)
        DO v = MAX(j - reach, 0_LONG), MIN(j + reach, n - 1)
          DO w = MAX(k - reach, 0_LONG), MIN(k + reach, n - 1)
            IF (stencil /= 27 .AND. COUNT((/u /= i, v /= j, w /= k/)) > 1) CYCLE
            other = (u * n + v) * n + w
            strength = MERGE(REAL(stencil / unknowns - 1, DP), -1D0, other == point)
            DO at = 0, unknowns - 1
              IF (other * unknowns + at >= order) EXIT
              entries = entries + 1
              column(entries) = INT(other * unknowns + at - first) + 1
              val(entries) = strength * MERGE(unknowns, 1, at == of)
            END DO
          END DO
        END DO
      END DO
      start(row + 1) = entries
    END DO
  END SUBROUTINE

  SUBROUTINE refuse(place, what)
    INTEGER(LONG), INTENT(IN) :: place
    CHARACTER(LEN=*), INTENT(IN) :: what
    CHARACTER(LEN=20) :: number
    WRITE (number, '(I0)') place
    CALL die(TRIM(file) // ', line ' // TRIM(number) // ': ' // what)
  END SUBROUTINE

  SUBROUTINE next_line(unit, place, line)
    INTEGER, INTENT(IN) :: unit
    INTEGER(LONG), INTENT(INOUT) :: place
    CHARACTER(LEN=*), INTENT(OUT) :: line
    INTEGER :: status
    place = place + 1
    READ (unit, '(A)', IOSTAT=status) line
    IF (status /= 0) CALL refuse(place, 'the matrix ends too early; fetch the file again')
  END SUBROUTINE

  ! Every rank reads the file and keeps its rows: once to count them, once to take them.
  SUBROUTINE read_matrix_market
    CHARACTER(LEN=1024) :: line, word(5)
    INTEGER(LONG) :: m, n, lines, at, i, j, place
    INTEGER :: unit, status, pass
    REAL(DP) :: value
    LOGICAL :: is_symmetric, is_pattern
    DO pass = 1, 2
      place = 1
      OPEN (NEWUNIT=unit, FILE=file, STATUS='OLD', ACTION='READ', IOSTAT=status)
      IF (status /= 0) CALL refuse(0_LONG, 'the matrix cannot be read')
      READ (unit, '(A)', IOSTAT=status) line
      READ (line, *, IOSTAT=status) word
      IF (status /= 0 .OR. word(1) /= '%%MatrixMarket' .OR. word(3) /= 'coordinate') &
        CALL refuse(place, 'not Matrix Market''s coordinate form, ' // &
                    'nor is the file called .rsa or .rua')
      is_symmetric = word(5) == 'symmetric'
      is_pattern = word(4) == 'pattern'
      IF (word(4) == 'complex' .OR. .NOT. (is_symmetric .OR. word(5) == 'general')) &
        CALL refuse(place, 'the matrix must be real and symmetric; choose another one')
      DO
        CALL next_line(unit, place, line)
        IF (line(1:1) /= '%') EXIT
      END DO
      READ (line, *, IOSTAT=status) m, n, lines
      IF (status /= 0) &
        CALL refuse(place, 'here the rows, columns and entries are expected, such as: 100 100 298')
      IF (m /= n) CALL refuse(place, 'the matrix is not square; choose another one')
      CALL begin_pass(pass, m)
      DO at = 1, lines
        value = 1
        CALL next_line(unit, place, line)
        IF (is_pattern) READ (line, *, IOSTAT=status) i, j
        IF (.NOT. is_pattern) READ (line, *, IOSTAT=status) i, j, value
        IF (status /= 0) &
          CALL refuse(place, 'here a row, a column and a value are expected, such as: 2 1 -0.5')
        IF (MIN(i, j) < 1 .OR. MAX(i, j) > m) CALL refuse(place, &
          'outside of the matrix; rows and columns go from 1 to what the size says')
        IF (.NOT. ABS(value) <= HUGE(value)) CALL refuse(place, 'not a finite number; correct it')
        CALL keep(pass, i, j, value, is_symmetric)
      END DO
      CLOSE (unit)
    END DO
    CALL sort_rows
  END SUBROUTINE

  ! Harwell and Boeing's form: columns of a real symmetric assembled matrix.
  SUBROUTINE read_harwell_boeing
    CHARACTER(LEN=128) :: title, lines, sizes, formats, right
    CHARACTER(LEN=3) :: kind
    INTEGER :: unit, status, pass, cards
    INTEGER(LONG) :: m, n, entries, at, j
    INTEGER(LONG), ALLOCATABLE :: pointer(:), index(:)
    REAL(DP), ALLOCATABLE :: value(:)
    LOGICAL :: is_symmetric
    OPEN (NEWUNIT=unit, FILE=file, STATUS='OLD', ACTION='READ', IOSTAT=status)
    IF (status /= 0) CALL die('the matrix cannot be read')
    READ (unit, '(A)', IOSTAT=status) title, lines, sizes, formats
    IF (status == 0) READ (sizes, '(A3,11X,3I14)', IOSTAT=status) kind, m, n, entries
    IF (status /= 0) CALL die('the matrix has no header')
    is_symmetric = kind == 'RSA' .OR. kind == 'rsa'
    IF (.NOT. is_symmetric .AND. kind /= 'RUA' .AND. kind /= 'rua') &
      CALL die('the matrix must be real and assembled: RSA or RUA')
    IF (m /= n) CALL die('the matrix is not square')
    READ (lines(57:70), '(I14)', IOSTAT=status) cards
    IF (status == 0 .AND. cards > 0) READ (unit, '(A)') right
    ALLOCATE (pointer(n + 1), index(entries), value(entries))
    READ (unit, formats(1:16), IOSTAT=status) pointer
    IF (status == 0) READ (unit, formats(17:32), IOSTAT=status) index
    IF (status == 0) READ (unit, formats(33:52), IOSTAT=status) value
    IF (status /= 0) CALL die(TRIM(file) // ': the matrix ends too early; fetch the file again')
    CLOSE (unit)
    IF (ANY(index < 1 .OR. index > m) .OR. ANY(pointer < 1 .OR. pointer > entries + 1) .OR. &
        .NOT. ALL(ABS(value) <= HUGE(value))) CALL die(TRIM(file) // &
          ': outside of the matrix, or not a finite number; fetch the file again')
    DO pass = 1, 2
      CALL begin_pass(pass, m)
      DO j = 1, n
        DO at = pointer(j), pointer(j + 1) - 1
          CALL keep(pass, index(at), j, value(at), is_symmetric)
        END DO
      END DO
    END DO
    CALL sort_rows
  END SUBROUTINE

  ! Entries are counted in the first pass, and kept in the second.
  SUBROUTINE begin_pass(pass, m)
    INTEGER, INTENT(IN) :: pass
    INTEGER(LONG), INTENT(IN) :: m
    INTEGER :: row
    IF (pass == 1) THEN
      order = m
      IF (m > HUGE(row)) CALL die('the matrix has more rows than can be read from a file')
      CALL begin_matrix
    ELSE
      DO row = 1, rows
        start(row) = start(row) + start(row - 1)
      END DO
      ALLOCATE (column(start(rows)), val(start(rows)), next(0:rows))
      next = start
    END IF
  END SUBROUTINE

  ! What is this rank's; of a symmetric matrix, files have one half.
  SUBROUTINE keep(pass, i, j, value, is_symmetric)
    INTEGER, INTENT(IN) :: pass
    INTEGER(LONG), INTENT(IN) :: i, j
    REAL(DP), INTENT(IN) :: value
    LOGICAL, INTENT(IN) :: is_symmetric
    INTEGER :: turn, row
    DO turn = 1, MERGE(2, 1, is_symmetric .AND. i /= j)
      row = INT(MERGE(i, j, turn == 1) - first)
      IF (row < 1 .OR. row > rows) CYCLE
      IF (pass == 1) THEN
        start(row) = start(row) + 1
      ELSE
        next(row - 1) = next(row - 1) + 1
        column(next(row - 1)) = INT(MERGE(j, i, turn == 1) - first)
        val(next(row - 1)) = value
      END IF
    END DO
  END SUBROUTINE

  SUBROUTINE sort_rows
    INTEGER :: row
    DO row = 1, rows
      CALL sort_row(start(row - 1) + 1, start(row))
    END DO
  END SUBROUTINE

  SUBROUTINE sort_row(from, to)
    INTEGER, INTENT(IN) :: from, to
    INTEGER :: at, before, key
    REAL(DP) :: value
    DO at = from + 1, to
      key = column(at)
      value = val(at)
      before = at - 1
      DO WHILE (before >= from)
        IF (column(before) <= key) EXIT
        column(before + 1) = column(before)
        val(before + 1) = val(before)
        before = before - 1
      END DO
      column(before + 1) = key
      val(before + 1) = value
    END DO
  END SUBROUTINE

  ! Which rows of others are needed, in order; columns become local.
  SUBROUTINE localise
    INTEGER :: at, row, low, high
    INTEGER, ALLOCATABLE :: place(:)
    low = MIN(1, MINVAL(column(:start(rows))))
    high = MAX(rows, MAXVAL(column(:start(rows))))
    ALLOCATE (diagonal(rows), place(low:high), needed(high - low + 1 - rows))
    place = 0
    DO at = 1, start(rows)
      place(column(at)) = 1
    END DO
    halo = 0
    DO at = low, high
      IF (at >= 1 .AND. at <= rows) THEN
        place(at) = at
      ELSE IF (place(at) > 0) THEN
        halo = halo + 1
        place(at) = rows + halo
        needed(halo) = first + at - 1
      END IF
    END DO
    diagonal = 0
    DO row = 1, rows
      DO at = start(row - 1) + 1, start(row)
        column(at) = place(column(at))
        IF (column(at) == row) diagonal(row) = val(at)
      END DO
    END DO
    IF (.NOT. ALL(diagonal > 0)) CALL die('the matrix is not positive definite: ' // &
      'a number on its diagonal is missing or not positive; choose another one')
  END SUBROUTINE

  ! The rows of this rank, and room for what it computes.
  SUBROUTINE build_part
    IF (is_harwell_boeing()) THEN
      CALL read_harwell_boeing
    ELSE IF (file /= '') THEN
      CALL read_matrix_market
    ELSE
      CALL generate
    END IF
    CALL localise
    ALLOCATE (x(rows), r(rows), p(rows + halo), q(rows))
  END SUBROUTINE

  SUBROUTINE free_part
    DEALLOCATE (start, column, val, diagonal, needed, q)
    IF (ALLOCATED(next)) DEALLOCATE (next)
    IF (ALLOCATED(gets)) DEALLOCATE (gets, gives, got, given, request)
    IF (ALLOCATED(list)) DEALLOCATE (list, room)
  END SUBROUTINE

  ! Tells everybody which of its numbers are needed here. The same at each recovery.
  SUBROUTINE plan_halo(ierr)
    INTEGER, INTENT(OUT) :: ierr
    INTEGER :: other, at
    INTEGER(LONG), ALLOCATABLE :: asked(:)
    IF (.NOT. ALLOCATED(gets)) THEN
      ALLOCATE (gets(0:workers - 1), gives(0:workers - 1), got(0:workers), given(0:workers))
      ALLOCATE (request(2 * workers))
    END IF
    gets = 0
    DO at = 1, halo
      other = owner(needed(at))
      gets(other) = gets(other) + 1
    END DO
    CALL MPI_ALLTOALL(gets, 1, MPI_INTEGER, gives, 1, MPI_INTEGER, work, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    got(0) = 0
    given(0) = 0
    DO other = 0, workers - 1
      got(other + 1) = got(other) + gets(other)
      given(other + 1) = given(other) + gives(other)
    END DO
    ALLOCATE (asked(MAX(given(workers), 1)))
    CALL MPI_ALLTOALLV(needed, gets, got, MPI_INTEGER8, asked, gives, given, MPI_INTEGER8, work, &
                       ierr)
    IF (ierr /= MPI_SUCCESS .OR. ALLOCATED(list)) RETURN
    ALLOCATE (list(given(workers)), room(given(workers)))
    list = INT(asked(:given(workers)) - first) + 1
  END SUBROUTINE

  ! Brings what others have of v, which has room for it behind its own numbers.
  SUBROUTINE exchange(v, ierr)
    REAL(DP), INTENT(INOUT), ASYNCHRONOUS :: v(:)
    INTEGER, INTENT(OUT) :: ierr
    INTEGER :: other, many
    ierr = MPI_SUCCESS
    many = 0
    DO other = 0, workers - 1
      IF (gets(other) == 0 .OR. ierr /= MPI_SUCCESS) CYCLE
      CALL MPI_IRECV(v(rows + got(other) + 1), gets(other), MPI_DOUBLE_PRECISION, other, DATA_TAG, &
                     work, request(many + 1), ierr)
      IF (ierr == MPI_SUCCESS) many = many + 1
    END DO
    room = v(list)
    DO other = 0, workers - 1
      IF (gives(other) == 0 .OR. ierr /= MPI_SUCCESS) CYCLE
      CALL MPI_ISEND(room(given(other) + 1), gives(other), MPI_DOUBLE_PRECISION, other, DATA_TAG, &
                     work, request(many + 1), ierr)
      IF (ierr == MPI_SUCCESS) many = many + 1
    END DO
    IF (ierr == MPI_SUCCESS) CALL MPI_WAITALL(many, request, MPI_STATUSES_IGNORE, ierr)
    IF (ierr /= MPI_SUCCESS) CALL give_up(request, many)
  END SUBROUTINE

  ! After a failure, what has begun must not write to memory that is given back.
  SUBROUTINE give_up(begun, many)
    INTEGER, INTENT(INOUT) :: begun(:)
    INTEGER, INTENT(IN) :: many
    INTEGER :: which, ierr
    DO which = 1, many
      IF (begun(which) == MPI_REQUEST_NULL) CYCLE
      CALL MPI_CANCEL(begun(which), ierr)
      CALL MPI_REQUEST_FREE(begun(which), ierr)
    END DO
  END SUBROUTINE

  ! out = A v; dot is v . out of the own rows.
  SUBROUTINE multiply(v, out, dot)
    REAL(DP), INTENT(IN) :: v(:)
    REAL(DP), INTENT(OUT) :: out(:), dot
    INTEGER :: row, at
    REAL(DP) :: total
    dot = 0
    DO row = 1, rows
      total = 0
      DO at = start(row - 1) + 1, start(row)
        total = total + val(at) * v(column(at))
      END DO
      out(row) = total
      dot = dot + v(row) * total
    END DO
  END SUBROUTINE

  SUBROUTINE sum_over(mine, all, ierr)
    REAL(DP), INTENT(IN) :: mine
    REAL(DP), INTENT(OUT) :: all
    INTEGER, INTENT(OUT) :: ierr
    CALL MPI_ALLREDUCE(mine, all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, work, ierr)
  END SUBROUTINE

  ! From x = 0; the right side is that of the solution 1.
  SUBROUTINE begin(ierr)
    INTEGER, INTENT(OUT) :: ierr
    REAL(DP) :: mine, squares
    INTEGER :: row
    p = 1
    CALL multiply(p, r, mine)
    x = 0
    mine = 0
    squares = 0
    DO row = 1, rows
      p(row) = r(row) / diagonal(row)
      mine = mine + r(row) * p(row)
      squares = squares + r(row) * r(row)
    END DO
    iteration = 0
    CALL sum_over(mine, rho, ierr)
    IF (ierr == MPI_SUCCESS) CALL sum_over(squares, rhs_norm, ierr)
  END SUBROUTINE

  SUBROUTINE iterate(residual, ierr)
    REAL(DP), INTENT(OUT) :: residual
    INTEGER, INTENT(OUT) :: ierr
    REAL(DP) :: mine(2), all(2), pq, alpha
    INTEGER :: row
    residual = 1
    CALL exchange(p, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    CALL multiply(p, q, mine(1))
    CALL sum_over(mine(1), pq, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    ! Solved so well that what is left is too small for a number.
    IF (ABS(pq) <= 0 .OR. ABS(rho) <= 0) THEN
      residual = 0
      RETURN
    END IF
    alpha = rho / pq
    mine = 0
    DO row = 1, rows
      x(row) = x(row) + alpha * p(row)
      r(row) = r(row) - alpha * q(row)
      mine(2) = mine(2) + r(row) * r(row)
      mine(1) = mine(1) + r(row) * r(row) / diagonal(row)
    END DO
    CALL MPI_ALLREDUCE(mine, all, 2, MPI_DOUBLE_PRECISION, MPI_SUM, work, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    residual = SQRT(all(2) / rhs_norm)
    DO row = 1, rows
      p(row) = r(row) / diagonal(row) + all(1) / rho * p(row)
    END DO
    rho = all(1)
    iteration = iteration + 1
  END SUBROUTINE

  ! |b - A x| / |b|, from scratch.
  SUBROUTINE true_residual(residual, ierr)
    REAL(DP), INTENT(OUT) :: residual
    INTEGER, INTENT(OUT) :: ierr
    REAL(DP) :: squares, all, b
    INTEGER :: row
    p(:rows) = x
    CALL exchange(p, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    CALL multiply(p, q, squares)
    squares = 0
    DO row = 1, rows
      b = SUM(val(start(row - 1) + 1:start(row)))
      squares = squares + (b - q(row)) * (b - q(row))
    END DO
    CALL sum_over(squares, all, ierr)
    IF (ierr == MPI_SUCCESS) residual = SQRT(all / rhs_norm)
  END SUBROUTINE

  SUBROUTINE prepare_checkpoints
    CHARACTER(LEN=MPI_MAX_ERROR_STRING) :: words
    INTEGER :: ierr, code, length
    IF (keepers == 0 .OR. scheme == 'mirror') THEN
      words = scheme
    ELSE IF (scheme == 'xor' .OR. scheme == 'sum') THEN
      WRITE (words, '(2A,I0)') TRIM(scheme), ',dedicated,groups=', keepers
    ELSE
      WRITE (words, '(2A,I0,A)') TRIM(scheme), ':', keepers, ',dedicated'
    END IF
    IF (keepers > 0 .AND. INDEX(scheme, ':') > 0) words = TRIM(scheme) // ',dedicated'
    CALL FTCK_Create(MPI_COMM_WORLD, TRIM(words), ck, ierr)
    IF (ierr /= MPI_SUCCESS) THEN
      CALL MPI_ERROR_STRING(ierr, words, length, code)
      CALL die(words(:length))
    END IF
    IF (is_keeper) RETURN
    CALL FTCK_Register(ck, 0, x, rows, MPI_DOUBLE_PRECISION, ierr)
    CALL FTCK_Register(ck, 1, r, rows, MPI_DOUBLE_PRECISION, ierr)
    CALL FTCK_Register(ck, 2, p, rows, MPI_DOUBLE_PRECISION, ierr)
    CALL FTCK_Register(ck, 3, rho, 1, MPI_DOUBLE_PRECISION, ierr)
    CALL FTCK_Register(ck, 4, rhs_norm, 1, MPI_DOUBLE_PRECISION, ierr)
    CALL FTCK_Register(ck, 5, iteration, 1, MPI_INTEGER, ierr)
    CALL FTCK_Register(ck, 6, turn, 1, MPI_INTEGER, ierr)
  END SUBROUTINE

  ! All ranks, those that keep codes as well, go on or end together. A checkpoint takes from when
  ! the first of them begins until the first is done: who computes still, or computes again, is not
  ! what it costs. All hear of that before the next one.
  SUBROUTINE checkpoint(goes_on, ierr)
    LOGICAL, INTENT(IN) :: goes_on
    INTEGER, INTENT(OUT) :: ierr
    INTEGER, PARAMETER :: begun=1, done=2, next_one=3
    REAL(DP), SAVE :: mine(3) = HUGE(mine)
    REAL(DP) :: first(3)
    ierr = MPI_SUCCESS
    IF (ck == FTCK_NULL) RETURN
    mine(next_one) = HUGE(mine)
    IF (.NOT. is_keeper) mine(next_one) = MERGE(iteration, -1, goes_on)
    CALL MPI_ALLREDUCE(mine, first, 3, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    CALL forget_before
    ! Who has not heard of one for a failure tells it again.
    IF (first(done) < HUGE(mine) .AND. first(begun) >= t_until) THEN
      t_checkpoint = t_checkpoint + first(done) - first(begun)
      t_until = first(done)
      checkpoints = checkpoints + 1
    END IF
    mine(begun) = MPI_WTIME()
    mine(done) = HUGE(mine)
    finished = first(next_one) < 0
    IF (finished) RETURN
    iteration = INT(first(next_one))
    CALL FTCK_Checkpoint(ck, iteration, ierr)
    IF (ierr == MPI_SUCCESS) THEN
      is_saved = .TRUE.
      mine(done) = MPI_WTIME()
    ELSE IF (has_fewer) THEN
      CALL do_without(ierr)
    END IF
  END SUBROUTINE

  ! There may be fewer ranks than the scheme needs: all are told.
  SUBROUTINE do_without(code)
    INTEGER, INTENT(INOUT) :: code
    CHARACTER(LEN=MPI_MAX_ERROR_STRING) :: words
    INTEGER :: class, length, ierr
    CALL MPI_ERROR_CLASS(code, class, ierr)
    IF (class /= MPI_ERR_ARG) RETURN
    CALL MPI_ERROR_STRING(code, words, length, ierr)
    IF (share == 0) THEN
      CALL end_progress
      WRITE (0, '(2A)') 'pcg: it goes on without checkpoints: ', words(:length)
      FLUSH (0)
    END IF
    CALL FTCK_Free(ck, ierr)
    code = MPI_SUCCESS
  END SUBROUTINE

  SUBROUTINE forget_before
    INTEGER :: ierr
    IF (old_ck == FTCK_NULL) RETURN
    CALL FTCK_Free(old_ck, ierr)
    DEALLOCATE (old_x, old_r, old_p)
    IF (ALLOCATED(old_holders)) DEALLOCATE (old_holders)
  END SUBROUTINE

  ! What this rank has of the solution is that of before, for which there is a checkpoint.
  SUBROUTINE go_back
    INTEGER :: ierr
    IF (ck /= FTCK_NULL) CALL FTCK_Free(ck, ierr)
    ck = old_ck
    workers = old_workers
    share = old_share
    CALL MOVE_ALLOC(old_holders, holders)
    CALL MOVE_ALLOC(old_x, x)
    CALL MOVE_ALLOC(old_r, r)
    CALL MOVE_ALLOC(old_p, p)
    old_ck = FTCK_NULL
    number = number - 1
    is_saved = .TRUE.
  END SUBROUTINE

  ! After a failure, all go on from a checkpoint that all have: that of how the rows are shared
  ! now, or that of before.
  SUBROUTINE agree_on_shares(ierr)
    INTEGER, INTENT(OUT) :: ierr
    INTEGER :: common
    ierr = MPI_SUCCESS
    IF (.NOT. has_fewer .OR. ck == FTCK_NULL) RETURN
    CALL MPI_ALLREDUCE(MERGE(number, number - 1, is_saved), common, 1, MPI_INTEGER, MPI_MIN, &
                       MPI_COMM_WORLD, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    IF (old_ck /= FTCK_NULL .AND. common < number) THEN
      CALL go_back
    ELSE
      CALL forget_before
    END IF
  END SUBROUTINE

  ! Those who are left share the rows anew. What there was before stays until there is a checkpoint
  ! of what is now.
  SUBROUTINE share_anew(version, ierr)
    INTEGER, INTENT(INOUT) :: version
    INTEGER, INTENT(OUT) :: ierr
    INTEGER :: now
    LOGICAL :: has_gap
    CALL free_part
    IF (ck == FTCK_NULL) THEN
      DEALLOCATE (x, r, p)
      IF (ALLOCATED(holders)) DEALLOCATE (holders)
    ELSE
      old_ck = ck
      old_workers = workers
      old_share = share
      CALL MOVE_ALLOC(holders, old_holders)
      CALL MOVE_ALLOC(x, old_x)
      CALL MOVE_ALLOC(r, old_r)
      CALL MOVE_ALLOC(p, old_p)
      ck = FTCK_NULL
    END IF
    number = number + 1
    is_saved = .FALSE.
    CALL MPI_COMM_SIZE(work, workers, ierr)
    CALL MPI_COMM_RANK(work, share, ierr)
    CALL MPI_COMM_RANK(MPI_COMM_WORLD, now, ierr)
    CALL build_part
    CALL MPI_ALLREDUCE(now /= share, has_gap, 1, MPI_LOGICAL, MPI_LOR, work, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    IF (has_gap) THEN
      ALLOCATE (holders(0:workers - 1))
      CALL MPI_ALLGATHER(now, 1, MPI_INTEGER, holders, 1, MPI_INTEGER, work, ierr)
      IF (ierr /= MPI_SUCCESS) RETURN
    END IF
    IF (scheme /= '' .AND. workers > 1) CALL prepare_checkpoints
    CALL plan_halo(ierr)
    IF (ierr /= MPI_SUCCESS .OR. version == FTCK_NONE) RETURN
    CALL move_rows(ierr)
    version = NOT_SAVED
  END SUBROUTINE

  ! Brings this rank what it has now of the vectors, from those who had it or have adopted it.
  SUBROUTINE move_rows(ierr)
    INTEGER, INTENT(OUT) :: ierr
    INTEGER :: held, many, block, of, other
    INTEGER :: orphans(old_workers), shares(0:old_workers), mine(0:old_workers - 1)
    INTEGER :: who(0:old_workers - 1)
    INTEGER, ALLOCATABLE :: begun(:)
    REAL(DP), ALLOCATABLE, TARGET :: theirs(:, :, :)
    CALL FTCK_Orphans(old_ck, old_workers, orphans, held, ierr)
    ! The own one, and those that were adopted.
    ALLOCATE (theirs(order / old_workers + 1, 3, 0:held))
    ALLOCATE (begun(3 * (old_workers + (held + 1) * workers)))
    shares(0) = old_share
    theirs(:SIZE(old_x), 1, 0) = old_x
    theirs(:SIZE(old_x), 2, 0) = old_r
    theirs(:SIZE(old_x), 3, 0) = old_p(:SIZE(old_x))
    DO block = 1, held
      of = MIN(orphans(block), old_workers - 1)
      IF (ALLOCATED(old_holders)) THEN
        DO WHILE (old_holders(of) /= orphans(block))
          of = of - 1
        END DO
      END IF
      shares(block) = of
      DO other = 1, 3
        IF (ierr == MPI_SUCCESS) CALL FTCK_Adopt(ck=old_ck, rank=orphans(block), id=other - 1, &
          buf=theirs(:, other, block), count=INT(border(of + 1, old_workers) - &
          border(of, old_workers)), datatype=MPI_DOUBLE_PRECISION, ierror=ierr)
      END DO
    END DO
    mine = -1
    mine(shares(:held)) = share
    IF (ierr == MPI_SUCCESS) &
      CALL MPI_ALLREDUCE(mine, who, old_workers, MPI_INTEGER, MPI_MAX, work, ierr)
    many = 0
    DO of = share_of(first, old_workers), share_of(first + rows - 1, old_workers)
      CALL receive(x, 1)
      CALL receive(r, 2)
      CALL receive(p, 3)
    END DO
    DO block = 0, held
      of = shares(block)
      DO other = owner(border(of, old_workers)), owner(border(of + 1, old_workers) - 1)
        CALL send(1)
        CALL send(2)
        CALL send(3)
      END DO
    END DO
    IF (ierr == MPI_SUCCESS) CALL MPI_WAITALL(many, begun, MPI_STATUSES_IGNORE, ierr)
    IF (ierr /= MPI_SUCCESS) CALL give_up(begun, many)

  CONTAINS

    ! What this rank has now of a vector, and somebody has from share `of` of before.
    SUBROUTINE receive(vector, which)
      REAL(DP), INTENT(INOUT), ASYNCHRONOUS :: vector(:)
      INTEGER, INTENT(IN) :: which
      INTEGER(LONG) :: low, high
      low = MAX(border(of, old_workers), first)
      high = MIN(border(of + 1, old_workers), first + rows)
      IF (ierr /= MPI_SUCCESS) RETURN
      CALL MPI_IRECV(vector(low - first + 1), INT(high - low), MPI_DOUBLE_PRECISION, who(of), &
                     ROW_TAG + 3 * of + which, work, begun(many + 1), ierr)
      IF (ierr == MPI_SUCCESS) many = many + 1
    END SUBROUTINE

    ! What `other` has now of a block.
    SUBROUTINE send(which)
      INTEGER, INTENT(IN) :: which
      INTEGER(LONG) :: low, high
      low = MAX(border(of, old_workers), first_row(other))
      high = MIN(border(of + 1, old_workers), first_row(other + 1))
      IF (ierr /= MPI_SUCCESS) RETURN
      CALL MPI_ISEND(theirs(low - border(of, old_workers) + 1, which, block), INT(high - low), &
                     MPI_DOUBLE_PRECISION, other, ROW_TAG + 3 * of + which, work, begun(many + 1), &
                     ierr)
      IF (ierr == MPI_SUCCESS) many = many + 1
    END SUBROUTINE
  END SUBROUTINE

  SUBROUTINE restore(version, ierr)
    INTEGER, INTENT(OUT) :: version, ierr
    CHARACTER(LEN=MPI_MAX_ERROR_STRING) :: words
    INTEGER :: length
    REAL(DP) :: before
    version = FTCK_NONE
    ierr = MPI_SUCCESS
    IF (ck == FTCK_NULL) RETURN
    before = MPI_WTIME()
    CALL FTCK_Restore(ck, version, ierr)
    IF (ierr == FTCK_ERR_LOST) THEN
      CALL MPI_ERROR_STRING(FTCK_ERR_LOST, words, length, ierr)
      ! All are told, and one says it. Should it die before, all are told again.
      IF (share == 0) THEN
        CALL end_progress
        WRITE (0, '(2A)') 'pcg: ', words(:length)
        FLUSH (0)
        CALL MPI_ABORT(MPI_COMM_WORLD, 4, ierr)
      END IF
      CALL MPI_BARRIER(MPI_COMM_WORLD, ierr)
      RETURN
    END IF
    ! With nothing to restore, it has made room for what is to come.
    IF (version == FTCK_NONE .AND. failures() == 0) THEN
      t_set_up = t_set_up + MPI_WTIME() - before
    ELSE
      t_data = t_data + MPI_WTIME() - before
    END IF
  END SUBROUTINE

  SUBROUTINE recover
    INTEGER :: repaired, ierr, now, tries
    INTEGER(MPI_ADDRESS_KIND) :: mode
    LOGICAL :: is_there
    ierr = MPI_ERR_OTHER
    ! Each further failure is one of somebody else.
    DO tries = 0, 2 * ranks
      repaired = FT_MPI_CHECK_RECOVER
      CALL MPI_COMM_DUP(MPI_COMM_WORLD, repaired, ierr)
      IF (ierr == MPI_SUCCESS) EXIT
    END DO
    IF (ierr /= MPI_SUCCESS) CALL die('MPI_COMM_WORLD does not recover: ' // &
      'start it with --mode rebuild, shrink or blank')
    CALL MPI_COMM_FREE(repaired, ierr)
    IF (work /= MPI_COMM_NULL) CALL MPI_COMM_FREE(work, ierr)
    CALL MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FTMPI_COMM_MODE, mode, is_there, ierr)
    has_fewer = mode /= FTMPI_COMM_MODE_REBUILD
    IF (.NOT. has_fewer .OR. codes == 0) RETURN
    CALL MPI_COMM_RANK(MPI_COMM_WORLD, now, ierr)
    IF (now /= 0) CALL MPI_BARRIER(MPI_COMM_WORLD, ierr)
    CALL die('with ranks that keep codes it goes on with as many as it began with: ' // &
             'start it with --mode rebuild')
  END SUBROUTINE

  INTEGER FUNCTION failures()
    INTEGER(MPI_ADDRESS_KIND) :: many
    INTEGER :: ierr
    LOGICAL :: is_there
    many = 0
    CALL MPI_COMM_GET_ATTR(MPI_COMM_WORLD, FT_MPI_LIST_NUM_FAILED, many, is_there, ierr)
    failures = MERGE(INT(many), 0, is_there)
  END FUNCTION

  ! A line on a terminal that the next one overwrites. The cursor waits at its beginning.
  SUBROUTINE show_progress(residual)
    REAL(DP), INTENT(IN) :: residual
    REAL(DP), SAVE :: shown=-1
    IF (share /= 0 .OR. MPI_WTIME() - shown < 0.2D0) RETURN
    IF (.NOT. ISATTY(0)) RETURN
    shown = MPI_WTIME()
    WRITE (0, '(2A,2(A,I0),A,ES7.1,A,I0,A)', ADVANCE='NO') ACHAR(27), '[K', 'iteration ', &
      iteration, ' of ', iterations, ', residual ', residual, ', ', failures(), &
      ' failures survived' // ACHAR(13)
    FLUSH (0)
  END SUBROUTINE

  SUBROUTINE end_progress
    IF (.NOT. ISATTY(0)) RETURN
    WRITE (0, '(2A)', ADVANCE='NO') ACHAR(27), '[K'
    FLUSH (0)
  END SUBROUTINE

  SUBROUTINE read_options
    CHARACTER(LEN=1024) :: word, value
    INTEGER :: at, many, split
    many = COMMAND_ARGUMENT_COUNT()
    at = 1
    DO WHILE (at <= many)
      CALL GET_COMMAND_ARGUMENT(at, word)
      at = at + 1
      IF (word(1:1) /= '-') THEN
        file = word
        CYCLE
      END IF
      value = ''
      IF (at <= many) CALL GET_COMMAND_ARGUMENT(at, value)
      at = at + 1
      SELECT CASE (word)
      CASE ('--poisson'); READ (value, *) stencil
      CASE ('--order'); READ (value, *) order
      CASE ('--iterations'); READ (value, *) iterations
      CASE ('--times'); READ (value, *) times
      CASE ('--tolerance'); READ (value, *) tolerance
      CASE ('--scheme'); scheme = value(:LEN(scheme))
      CASE ('--checkpoint-ranks'); READ (value, *) keepers
      CASE ('--every'); READ (value, *) every
      CASE ('--kill')
        split = INDEX(value, '@')
        kills = kills + 1
        READ (value(:split - 1), *) victim(kills)
        READ (value(split + 1:), *) moment(kills)
      CASE DEFAULT; CALL die(TRIM(word) // ' is not understood; see the head of pcg.f90')
      END SELECT
    END DO
    IF (ALL(stencil /= (/7, 27, 39/))) CALL die('--poisson is 7, 27 or 39')
    IF (keepers < 0 .OR. keepers >= ranks .OR. every < 1 .OR. (keepers > 0 .AND. scheme == '')) &
      CALL die('--checkpoint-ranks wants a scheme and fewer than all ranks; --every at least 1')
  END SUBROUTINE

  SUBROUTINE set_up(ierr)
    INTEGER, INTENT(OUT) :: ierr
    INTEGER :: ignored, now, many
    CALL MPI_COMM_RANK(MPI_COMM_WORLD, now, ignored)
    CALL MPI_COMM_SPLIT(MPI_COMM_WORLD, MERGE(0, 1, is_keeper), now, work, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    CALL MPI_COMM_SET_ERRHANDLER(work, MPI_ERRORS_RETURN, ignored)
    CALL agree_on_shares(ierr)
    IF (ierr /= MPI_SUCCESS .OR. is_keeper) RETURN
    CALL MPI_COMM_SIZE(work, many, ierr)
    IF (many == workers) CALL plan_halo(ierr)
  END SUBROUTINE

  ! Who keeps codes dies after the first checkpoint from the ordered iteration on.
  SUBROUTINE meet_orders
    INTEGER :: which, ignored
    LOGICAL :: is_due
    DO which = 1, kills
      is_due = moment(which) == iteration .OR. (is_keeper .AND. moment(which) < iteration)
      IF (.NOT. is_restarted .AND. victim(which) == born .AND. is_due) ignored = c_raise(9)
    END DO
  END SUBROUTINE

  SUBROUTINE solve(residual, ierr)
    REAL(DP), INTENT(OUT) :: residual
    INTEGER, INTENT(OUT) :: ierr
    INTEGER :: version, many
    residual = 1
    CALL restore(version, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    ! Some may have ended before somebody died, and have to go on.
    finished = .FALSE.
    IF (is_keeper) THEN
      DO WHILE (.NOT. finished)
        CALL checkpoint(.FALSE., ierr)
        IF (ierr /= MPI_SUCCESS) RETURN
        CALL meet_orders
      END DO
      RETURN
    END IF
    CALL MPI_COMM_SIZE(work, many, ierr)
    IF (many < workers) CALL share_anew(version, ierr)
    IF (ierr /= MPI_SUCCESS) RETURN
    IF (version == FTCK_NONE) turn = 0
    IF (version == FTCK_NONE) CALL begin(ierr)
    DO
      residual = 1
      DO WHILE (ierr == MPI_SUCCESS .AND. iteration < iterations .AND. residual > tolerance)
        IF (MOD(iteration, every) == 0 .AND. iteration /= version) CALL checkpoint(.TRUE., ierr)
        IF (ierr /= MPI_SUCCESS) RETURN
        CALL meet_orders
        CALL iterate(residual, ierr)
        version = NOT_SAVED
        IF (ierr == MPI_SUCCESS) CALL show_progress(residual)
      END DO
      IF (ierr == MPI_SUCCESS) CALL true_residual(residual, ierr)
      IF (ierr /= MPI_SUCCESS) RETURN
      turn = turn + 1
      IF (turn >= times) EXIT
      CALL begin(ierr)
    END DO
    IF (ierr == MPI_SUCCESS) CALL checkpoint(.FALSE., ierr)
  END SUBROUTINE
END MODULE

PROGRAM pcg
  USE pcg_state
  IMPLICIT NONE
  INTEGER :: ierr
  REAL(DP) :: residual, began, before, all, recovery
  CALL MPI_INIT(ierr)
  is_restarted = ierr == MPI_INIT_RESTARTED_PROCS
  began = MPI_WTIME()
  CALL MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  CALL MPI_COMM_RANK(MPI_COMM_WORLD, born, ierr)
  CALL MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  CALL read_options
  workers = MERGE(ranks / 2, ranks - keepers, scheme == 'mirror')
  codes = ranks - workers
  share = born
  is_keeper = born >= workers
  IF (.NOT. is_keeper) CALL build_part
  IF (scheme /= '') CALL prepare_checkpoints
  DO
    before = MPI_WTIME()
    CALL set_up(ierr)
    IF (failures() > 0) THEN
      t_environment = t_environment + MPI_WTIME() - before
    ELSE
      t_set_up = MPI_WTIME() - began
    END IF
    IF (ierr == MPI_SUCCESS) CALL solve(residual, ierr)
    IF (ierr == MPI_SUCCESS) CALL MPI_BARRIER(MPI_COMM_WORLD, ierr)
    IF (ierr == MPI_SUCCESS) EXIT
    before = MPI_WTIME()
    CALL recover
    t_environment = t_environment + MPI_WTIME() - before
  END DO
  IF (share == 0) THEN
    CALL end_progress
    all = MPI_WTIME() - began - t_set_up
    recovery = t_environment + t_data
    WRITE (*, '(I0,A,I0,A,I0,A)') order, ' rows on ', workers, ' ranks, ', codes, &
      ' more keep codes'
    WRITE (*, '(4(A,F0.6),A,I0,3(A,F0.6),A)') 'time ', all, ' s and ', t_set_up, &
      ' to set up: computation ', all - t_checkpoint - recovery, ', checkpoints ', t_checkpoint, &
      ' (', checkpoints, '), recovery ', recovery, ' (environment ', t_environment, ', data ', &
      t_data, ')'
    WRITE (*, '(A,ES12.6,A,I0,A,I0)') 'residual ', residual, ' iterations ', iteration, &
      ' failures ', failures()
  END IF
  CALL MPI_FINALIZE(ierr)
END PROGRAM
