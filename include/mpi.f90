! Written from the doors of the library by tools/write-modules: change them.

MODULE mpi
  USE mpi_f08_types
  USE, INTRINSIC :: ISO_C_BINDING, ONLY: C_PTR
  IMPLICIT NONE
  PRIVATE :: C_PTR

  ! If the compiler complains here about a division by zero: the MPI of
  ! this program has INTEGERs of 4 bytes, and -fdefault-integer-8 or its
  ! like makes them 8. Give kinds to the variables that need them.
  INTEGER, PARAMETER :: FTMPI_NEEDS_4_BYTE_INTEGERS=1/(4/KIND(0))

  ! Kinds
  INTEGER, PARAMETER :: MPI_ADDRESS_KIND=8
  INTEGER, PARAMETER :: MPI_COUNT_KIND=8
  INTEGER, PARAMETER :: MPI_OFFSET_KIND=8
  INTEGER, PARAMETER :: MPI_INTEGER_KIND=4

  ! What this form of Fortran support can do: buffers are contiguous
  LOGICAL, PARAMETER :: MPI_SUBARRAYS_SUPPORTED=.FALSE.
  LOGICAL, PARAMETER :: MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.

  ! A status: an INTEGER array of this size, with these indices
  INTEGER, PARAMETER :: MPI_STATUS_SIZE=8
  INTEGER, PARAMETER :: MPI_SOURCE=1
  INTEGER, PARAMETER :: MPI_TAG=2
  INTEGER, PARAMETER :: MPI_ERROR=3

  ! Versions of the standard and of its ABI (9.1.1, 20.1)
  INTEGER, PARAMETER :: MPI_VERSION=5
  INTEGER, PARAMETER :: MPI_SUBVERSION=0
  INTEGER, PARAMETER :: MPI_ABI_VERSION=1
  INTEGER, PARAMETER :: MPI_ABI_SUBVERSION=0

  ! Operations
  INTEGER, PARAMETER :: MPI_OP_NULL=32
  INTEGER, PARAMETER :: MPI_SUM=33
  INTEGER, PARAMETER :: MPI_MIN=34
  INTEGER, PARAMETER :: MPI_MAX=35
  INTEGER, PARAMETER :: MPI_PROD=36
  INTEGER, PARAMETER :: MPI_BAND=40
  INTEGER, PARAMETER :: MPI_BOR=41
  INTEGER, PARAMETER :: MPI_BXOR=42
  INTEGER, PARAMETER :: MPI_LAND=48
  INTEGER, PARAMETER :: MPI_LOR=49
  INTEGER, PARAMETER :: MPI_LXOR=50
  INTEGER, PARAMETER :: MPI_MINLOC=56
  INTEGER, PARAMETER :: MPI_MAXLOC=57
  INTEGER, PARAMETER :: MPI_REPLACE=60
  INTEGER, PARAMETER :: MPI_NO_OP=61

  ! Communicators
  INTEGER, PARAMETER :: MPI_COMM_NULL=256
  INTEGER, PARAMETER :: MPI_COMM_WORLD=257
  INTEGER, PARAMETER :: MPI_COMM_SELF=258

  ! Groups
  INTEGER, PARAMETER :: MPI_GROUP_NULL=264
  INTEGER, PARAMETER :: MPI_GROUP_EMPTY=265

  ! Windows
  INTEGER, PARAMETER :: MPI_WIN_NULL=272

  ! Files
  INTEGER, PARAMETER :: MPI_FILE_NULL=280

  ! Sessions
  INTEGER, PARAMETER :: MPI_SESSION_NULL=288

  ! Messages
  INTEGER, PARAMETER :: MPI_MESSAGE_NULL=296
  INTEGER, PARAMETER :: MPI_MESSAGE_NO_PROC=297

  ! Infos
  INTEGER, PARAMETER :: MPI_INFO_NULL=304
  INTEGER, PARAMETER :: MPI_INFO_ENV=305

  ! Error handlers
  INTEGER, PARAMETER :: MPI_ERRHANDLER_NULL=320
  INTEGER, PARAMETER :: MPI_ERRORS_ARE_FATAL=321
  INTEGER, PARAMETER :: MPI_ERRORS_ABORT=322
  INTEGER, PARAMETER :: MPI_ERRORS_RETURN=323

  ! Requests
  INTEGER, PARAMETER :: MPI_REQUEST_NULL=384

  ! Datatypes
  INTEGER, PARAMETER :: MPI_DATATYPE_NULL=512
  INTEGER, PARAMETER :: MPI_AINT=513
  INTEGER, PARAMETER :: MPI_COUNT=514
  INTEGER, PARAMETER :: MPI_OFFSET=515
  INTEGER, PARAMETER :: MPI_PACKED=519
  INTEGER, PARAMETER :: MPI_SHORT=520
  INTEGER, PARAMETER :: MPI_INT=521
  INTEGER, PARAMETER :: MPI_LONG=522
  INTEGER, PARAMETER :: MPI_LONG_LONG=523
  INTEGER, PARAMETER :: MPI_UNSIGNED_SHORT=524
  INTEGER, PARAMETER :: MPI_UNSIGNED=525
  INTEGER, PARAMETER :: MPI_UNSIGNED_LONG=526
  INTEGER, PARAMETER :: MPI_UNSIGNED_LONG_LONG=527
  INTEGER, PARAMETER :: MPI_FLOAT=528
  INTEGER, PARAMETER :: MPI_C_FLOAT_COMPLEX=530
  INTEGER, PARAMETER :: MPI_CXX_FLOAT_COMPLEX=531
  INTEGER, PARAMETER :: MPI_DOUBLE=532
  INTEGER, PARAMETER :: MPI_C_DOUBLE_COMPLEX=534
  INTEGER, PARAMETER :: MPI_CXX_DOUBLE_COMPLEX=535
  INTEGER, PARAMETER :: MPI_LOGICAL=536
  INTEGER, PARAMETER :: MPI_INTEGER=537
  INTEGER, PARAMETER :: MPI_CHARACTER=542
  INTEGER, PARAMETER :: MPI_LONG_DOUBLE=544
  INTEGER, PARAMETER :: MPI_C_LONG_DOUBLE_COMPLEX=548
  INTEGER, PARAMETER :: MPI_CXX_LONG_DOUBLE_COMPLEX=549
  INTEGER, PARAMETER :: MPI_FLOAT_INT=552
  INTEGER, PARAMETER :: MPI_DOUBLE_INT=553
  INTEGER, PARAMETER :: MPI_LONG_INT=554
  INTEGER, PARAMETER :: MPI_2INT=555
  INTEGER, PARAMETER :: MPI_SHORT_INT=556
  INTEGER, PARAMETER :: MPI_LONG_DOUBLE_INT=557
  INTEGER, PARAMETER :: MPI_2INTEGER=562
  INTEGER, PARAMETER :: MPI_C_BOOL=568
  INTEGER, PARAMETER :: MPI_CXX_BOOL=569
  INTEGER, PARAMETER :: MPI_WCHAR=572
  INTEGER, PARAMETER :: MPI_INT8_T=576
  INTEGER, PARAMETER :: MPI_UINT8_T=577
  INTEGER, PARAMETER :: MPI_CHAR=579
  INTEGER, PARAMETER :: MPI_SIGNED_CHAR=580
  INTEGER, PARAMETER :: MPI_UNSIGNED_CHAR=581
  INTEGER, PARAMETER :: MPI_BYTE=583
  INTEGER, PARAMETER :: MPI_INT16_T=584
  INTEGER, PARAMETER :: MPI_UINT16_T=585
  INTEGER, PARAMETER :: MPI_INT32_T=592
  INTEGER, PARAMETER :: MPI_UINT32_T=593
  INTEGER, PARAMETER :: MPI_INT64_T=600
  INTEGER, PARAMETER :: MPI_UINT64_T=601
  INTEGER, PARAMETER :: MPI_LOGICAL1=704
  INTEGER, PARAMETER :: MPI_INTEGER1=705
  INTEGER, PARAMETER :: MPI_LOGICAL2=712
  INTEGER, PARAMETER :: MPI_INTEGER2=713
  INTEGER, PARAMETER :: MPI_REAL2=714
  INTEGER, PARAMETER :: MPI_LOGICAL4=720
  INTEGER, PARAMETER :: MPI_INTEGER4=721
  INTEGER, PARAMETER :: MPI_REAL4=722
  INTEGER, PARAMETER :: MPI_COMPLEX4=723
  INTEGER, PARAMETER :: MPI_LOGICAL8=728
  INTEGER, PARAMETER :: MPI_INTEGER8=729
  INTEGER, PARAMETER :: MPI_REAL8=730
  INTEGER, PARAMETER :: MPI_COMPLEX8=731
  INTEGER, PARAMETER :: MPI_LOGICAL16=736
  INTEGER, PARAMETER :: MPI_INTEGER16=737
  INTEGER, PARAMETER :: MPI_REAL16=738
  INTEGER, PARAMETER :: MPI_COMPLEX16=739
  INTEGER, PARAMETER :: MPI_COMPLEX32=747
  INTEGER, PARAMETER :: MPI_LONG_LONG_INT=523
  INTEGER, PARAMETER :: MPI_C_COMPLEX=530

  ! Types of default kinds, also where -fdefault-real-8 changes the kinds:
  ! REAL is then as large as MPI_REAL8, and what has no type is null
  INTEGER, PARAMETER :: FTMPI_REAL8=ISHFT(KIND(1.0),-3)
  INTEGER, PARAMETER :: FTMPI_DBLE16=ISHFT(KIND(1.0D0),-4)
  INTEGER, PARAMETER :: MPI_REAL=538+192*FTMPI_REAL8
  INTEGER, PARAMETER :: MPI_COMPLEX=539+200*FTMPI_REAL8
  INTEGER, PARAMETER :: MPI_DOUBLE_PRECISION=540+198*FTMPI_DBLE16
  INTEGER, PARAMETER :: MPI_DOUBLE_COMPLEX=541+206*FTMPI_DBLE16
  INTEGER, PARAMETER :: MPI_2REAL=560+FTMPI_REAL8
  INTEGER, PARAMETER :: MPI_2DOUBLE_PRECISION=561-49*FTMPI_DBLE16

  ! Error classes (9.4)
  INTEGER, PARAMETER :: MPI_SUCCESS=0
  INTEGER, PARAMETER :: MPI_ERR_BUFFER=1
  INTEGER, PARAMETER :: MPI_ERR_COUNT=2
  INTEGER, PARAMETER :: MPI_ERR_TYPE=3
  INTEGER, PARAMETER :: MPI_ERR_TAG=4
  INTEGER, PARAMETER :: MPI_ERR_COMM=5
  INTEGER, PARAMETER :: MPI_ERR_RANK=6
  INTEGER, PARAMETER :: MPI_ERR_REQUEST=7
  INTEGER, PARAMETER :: MPI_ERR_ROOT=8
  INTEGER, PARAMETER :: MPI_ERR_GROUP=9
  INTEGER, PARAMETER :: MPI_ERR_OP=10
  INTEGER, PARAMETER :: MPI_ERR_TOPOLOGY=11
  INTEGER, PARAMETER :: MPI_ERR_DIMS=12
  INTEGER, PARAMETER :: MPI_ERR_ARG=13
  INTEGER, PARAMETER :: MPI_ERR_UNKNOWN=14
  INTEGER, PARAMETER :: MPI_ERR_TRUNCATE=15
  INTEGER, PARAMETER :: MPI_ERR_OTHER=16
  INTEGER, PARAMETER :: MPI_ERR_INTERN=17
  INTEGER, PARAMETER :: MPI_ERR_PENDING=18
  INTEGER, PARAMETER :: MPI_ERR_IN_STATUS=19
  INTEGER, PARAMETER :: MPI_ERR_ACCESS=20
  INTEGER, PARAMETER :: MPI_ERR_AMODE=21
  INTEGER, PARAMETER :: MPI_ERR_ASSERT=22
  INTEGER, PARAMETER :: MPI_ERR_BAD_FILE=23
  INTEGER, PARAMETER :: MPI_ERR_BASE=24
  INTEGER, PARAMETER :: MPI_ERR_CONVERSION=25
  INTEGER, PARAMETER :: MPI_ERR_DISP=26
  INTEGER, PARAMETER :: MPI_ERR_DUP_DATAREP=27
  INTEGER, PARAMETER :: MPI_ERR_FILE_EXISTS=28
  INTEGER, PARAMETER :: MPI_ERR_FILE_IN_USE=29
  INTEGER, PARAMETER :: MPI_ERR_FILE=30
  INTEGER, PARAMETER :: MPI_ERR_INFO_KEY=31
  INTEGER, PARAMETER :: MPI_ERR_INFO_NOKEY=32
  INTEGER, PARAMETER :: MPI_ERR_INFO_VALUE=33
  INTEGER, PARAMETER :: MPI_ERR_INFO=34
  INTEGER, PARAMETER :: MPI_ERR_IO=35
  INTEGER, PARAMETER :: MPI_ERR_KEYVAL=36
  INTEGER, PARAMETER :: MPI_ERR_LOCKTYPE=37
  INTEGER, PARAMETER :: MPI_ERR_NAME=38
  INTEGER, PARAMETER :: MPI_ERR_NO_MEM=39
  INTEGER, PARAMETER :: MPI_ERR_NOT_SAME=40
  INTEGER, PARAMETER :: MPI_ERR_NO_SPACE=41
  INTEGER, PARAMETER :: MPI_ERR_NO_SUCH_FILE=42
  INTEGER, PARAMETER :: MPI_ERR_PORT=43
  INTEGER, PARAMETER :: MPI_ERR_QUOTA=44
  INTEGER, PARAMETER :: MPI_ERR_READ_ONLY=45
  INTEGER, PARAMETER :: MPI_ERR_RMA_ATTACH=46
  INTEGER, PARAMETER :: MPI_ERR_RMA_CONFLICT=47
  INTEGER, PARAMETER :: MPI_ERR_RMA_RANGE=48
  INTEGER, PARAMETER :: MPI_ERR_RMA_SHARED=49
  INTEGER, PARAMETER :: MPI_ERR_RMA_SYNC=50
  INTEGER, PARAMETER :: MPI_ERR_SERVICE=51
  INTEGER, PARAMETER :: MPI_ERR_SIZE=52
  INTEGER, PARAMETER :: MPI_ERR_SPAWN=53
  INTEGER, PARAMETER :: MPI_ERR_UNSUPPORTED_DATAREP=54
  INTEGER, PARAMETER :: MPI_ERR_UNSUPPORTED_OPERATION=55
  INTEGER, PARAMETER :: MPI_ERR_WIN=56
  INTEGER, PARAMETER :: MPI_ERR_RMA_FLAVOR=57
  INTEGER, PARAMETER :: MPI_ERR_PROC_ABORTED=58
  INTEGER, PARAMETER :: MPI_ERR_VALUE_TOO_LARGE=59
  INTEGER, PARAMETER :: MPI_ERR_SESSION=60
  INTEGER, PARAMETER :: MPI_ERR_ERRHANDLER=61
  INTEGER, PARAMETER :: MPI_ERR_ABI=62
  INTEGER, PARAMETER :: MPI_ERR_LASTCODE=16383

  ! Longest strings; C counts their null too
  INTEGER, PARAMETER :: MPI_MAX_DATAREP_STRING=127
  INTEGER, PARAMETER :: MPI_MAX_ERROR_STRING=511
  INTEGER, PARAMETER :: MPI_MAX_INFO_KEY=255
  INTEGER, PARAMETER :: MPI_MAX_INFO_VAL=1023
  INTEGER, PARAMETER :: MPI_MAX_LIBRARY_VERSION_STRING=8191
  INTEGER, PARAMETER :: MPI_MAX_OBJECT_NAME=127
  INTEGER, PARAMETER :: MPI_MAX_PORT_NAME=1023
  INTEGER, PARAMETER :: MPI_MAX_PROCESSOR_NAME=255
  INTEGER, PARAMETER :: MPI_MAX_STRINGTAG_LEN=1023
  INTEGER, PARAMETER :: MPI_MAX_PSET_NAME_LEN=1023

  ! Buffered sends: what each needs on top of its packed size
  INTEGER, PARAMETER :: MPI_BSEND_OVERHEAD=512

  ! File open modes
  INTEGER, PARAMETER :: MPI_MODE_APPEND=1
  INTEGER, PARAMETER :: MPI_MODE_CREATE=2
  INTEGER, PARAMETER :: MPI_MODE_DELETE_ON_CLOSE=4
  INTEGER, PARAMETER :: MPI_MODE_EXCL=8
  INTEGER, PARAMETER :: MPI_MODE_RDONLY=16
  INTEGER, PARAMETER :: MPI_MODE_RDWR=32
  INTEGER, PARAMETER :: MPI_MODE_SEQUENTIAL=64
  INTEGER, PARAMETER :: MPI_MODE_UNIQUE_OPEN=128
  INTEGER, PARAMETER :: MPI_MODE_WRONLY=256

  ! Window assertions
  INTEGER, PARAMETER :: MPI_MODE_NOCHECK=1024
  INTEGER, PARAMETER :: MPI_MODE_NOPRECEDE=2048
  INTEGER, PARAMETER :: MPI_MODE_NOPUT=4096
  INTEGER, PARAMETER :: MPI_MODE_NOSTORE=8192
  INTEGER, PARAMETER :: MPI_MODE_NOSUCCEED=16384

  ! Wildcards
  INTEGER, PARAMETER :: MPI_ANY_SOURCE=-1
  INTEGER, PARAMETER :: MPI_ANY_TAG=-2

  ! Ranks that are none
  INTEGER, PARAMETER :: MPI_PROC_NULL=-3
  INTEGER, PARAMETER :: MPI_ROOT=-4

  ! No such value
  INTEGER, PARAMETER :: MPI_UNDEFINED=-32766

  ! Thread levels, in rising order
  INTEGER, PARAMETER :: MPI_THREAD_SINGLE=0
  INTEGER, PARAMETER :: MPI_THREAD_FUNNELED=1024
  INTEGER, PARAMETER :: MPI_THREAD_SERIALIZED=2048
  INTEGER, PARAMETER :: MPI_THREAD_MULTIPLE=4096

  ! Storage orders of arrays
  INTEGER, PARAMETER :: MPI_ORDER_C=12
  INTEGER, PARAMETER :: MPI_ORDER_FORTRAN=15

  ! Distributions of arrays
  INTEGER, PARAMETER :: MPI_DISTRIBUTE_NONE=16
  INTEGER, PARAMETER :: MPI_DISTRIBUTE_BLOCK=17
  INTEGER, PARAMETER :: MPI_DISTRIBUTE_CYCLIC=18
  INTEGER, PARAMETER :: MPI_DISTRIBUTE_DFLT_DARG=19

  ! Combiners of datatypes
  INTEGER, PARAMETER :: MPI_COMBINER_NAMED=101
  INTEGER, PARAMETER :: MPI_COMBINER_DUP=102
  INTEGER, PARAMETER :: MPI_COMBINER_CONTIGUOUS=103
  INTEGER, PARAMETER :: MPI_COMBINER_VECTOR=104
  INTEGER, PARAMETER :: MPI_COMBINER_HVECTOR=105
  INTEGER, PARAMETER :: MPI_COMBINER_INDEXED=106
  INTEGER, PARAMETER :: MPI_COMBINER_HINDEXED=107
  INTEGER, PARAMETER :: MPI_COMBINER_INDEXED_BLOCK=108
  INTEGER, PARAMETER :: MPI_COMBINER_HINDEXED_BLOCK=109
  INTEGER, PARAMETER :: MPI_COMBINER_STRUCT=110
  INTEGER, PARAMETER :: MPI_COMBINER_SUBARRAY=111
  INTEGER, PARAMETER :: MPI_COMBINER_DARRAY=112
  INTEGER, PARAMETER :: MPI_COMBINER_F90_REAL=113
  INTEGER, PARAMETER :: MPI_COMBINER_F90_COMPLEX=114
  INTEGER, PARAMETER :: MPI_COMBINER_F90_INTEGER=115
  INTEGER, PARAMETER :: MPI_COMBINER_RESIZED=116
  INTEGER, PARAMETER :: MPI_COMBINER_VALUE_INDEX=117

  ! Classes of Fortran types
  INTEGER, PARAMETER :: MPIX_TYPECLASS_LOGICAL=191
  INTEGER, PARAMETER :: MPI_TYPECLASS_INTEGER=192
  INTEGER, PARAMETER :: MPI_TYPECLASS_REAL=193
  INTEGER, PARAMETER :: MPI_TYPECLASS_COMPLEX=194

  ! Results of comparisons
  INTEGER, PARAMETER :: MPI_IDENT=201
  INTEGER, PARAMETER :: MPI_CONGRUENT=202
  INTEGER, PARAMETER :: MPI_SIMILAR=203
  INTEGER, PARAMETER :: MPI_UNEQUAL=204

  ! Kinds of topologies
  INTEGER, PARAMETER :: MPI_CART=211
  INTEGER, PARAMETER :: MPI_GRAPH=212
  INTEGER, PARAMETER :: MPI_DIST_GRAPH=213

  ! Ways to split a communicator
  INTEGER, PARAMETER :: MPI_COMM_TYPE_SHARED=221
  INTEGER, PARAMETER :: MPI_COMM_TYPE_HW_UNGUIDED=222
  INTEGER, PARAMETER :: MPI_COMM_TYPE_HW_GUIDED=223
  INTEGER, PARAMETER :: MPI_COMM_TYPE_RESOURCE_GUIDED=224

  ! Window locks
  INTEGER, PARAMETER :: MPI_LOCK_EXCLUSIVE=301
  INTEGER, PARAMETER :: MPI_LOCK_SHARED=302

  ! Flavors of windows
  INTEGER, PARAMETER :: MPI_WIN_FLAVOR_CREATE=311
  INTEGER, PARAMETER :: MPI_WIN_FLAVOR_ALLOCATE=312
  INTEGER, PARAMETER :: MPI_WIN_FLAVOR_DYNAMIC=313
  INTEGER, PARAMETER :: MPI_WIN_FLAVOR_SHARED=314

  ! Memory models of windows
  INTEGER, PARAMETER :: MPI_WIN_UNIFIED=321
  INTEGER, PARAMETER :: MPI_WIN_SEPARATE=322

  ! File positions
  INTEGER, PARAMETER :: MPI_SEEK_CUR=401
  INTEGER, PARAMETER :: MPI_SEEK_END=402
  INTEGER, PARAMETER :: MPI_SEEK_SET=403

  ! The current displacement of a file
  INTEGER(8), PARAMETER :: MPI_DISPLACEMENT_CURRENT=-1

  ! No attribute key
  INTEGER, PARAMETER :: MPI_KEYVAL_INVALID=0

  ! Predefined attributes of communicators
  INTEGER, PARAMETER :: MPI_TAG_UB=501
  INTEGER, PARAMETER :: MPI_IO=502
  INTEGER, PARAMETER :: MPI_HOST=503
  INTEGER, PARAMETER :: MPI_WTIME_IS_GLOBAL=504
  INTEGER, PARAMETER :: MPI_APPNUM=505
  INTEGER, PARAMETER :: MPI_LASTUSEDCODE=506
  INTEGER, PARAMETER :: MPI_UNIVERSE_SIZE=507

  ! Predefined attributes of windows
  INTEGER, PARAMETER :: MPI_WIN_BASE=601
  INTEGER, PARAMETER :: MPI_WIN_DISP_UNIT=602
  INTEGER, PARAMETER :: MPI_WIN_SIZE=603
  INTEGER, PARAMETER :: MPI_WIN_CREATE_FLAVOR=604
  INTEGER, PARAMETER :: MPI_WIN_MODEL=605

  ! Variables that stand for special arguments: the library knows them
  ! by their place in these blocks, and nobody reads or writes them
  INTEGER MPI_BOTTOM
  INTEGER MPI_IN_PLACE
  INTEGER MPI_BUFFER_AUTOMATIC(1)
  INTEGER MPI_UNWEIGHTED(1)
  INTEGER MPI_WEIGHTS_EMPTY(1)
  INTEGER MPI_ERRCODES_IGNORE(1)
  INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)
  INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE,1)
  INTEGER FTMPI_SPARE_NUMBERS(10)
  COMMON /FTMPI_NUMBERS/ MPI_BOTTOM
  COMMON /FTMPI_NUMBERS/ MPI_IN_PLACE
  COMMON /FTMPI_NUMBERS/ MPI_BUFFER_AUTOMATIC
  COMMON /FTMPI_NUMBERS/ MPI_UNWEIGHTED
  COMMON /FTMPI_NUMBERS/ MPI_WEIGHTS_EMPTY
  COMMON /FTMPI_NUMBERS/ MPI_ERRCODES_IGNORE
  COMMON /FTMPI_NUMBERS/ MPI_STATUS_IGNORE
  COMMON /FTMPI_NUMBERS/ MPI_STATUSES_IGNORE
  COMMON /FTMPI_NUMBERS/ FTMPI_SPARE_NUMBERS
  CHARACTER(1) MPI_ARGV_NULL(1)
  CHARACTER(1) MPI_ARGVS_NULL(1,1)
  CHARACTER(1) FTMPI_SPARE_TEXTS(62)
  COMMON /FTMPI_TEXTS/ MPI_ARGV_NULL
  COMMON /FTMPI_TEXTS/ MPI_ARGVS_NULL
  COMMON /FTMPI_TEXTS/ FTMPI_SPARE_TEXTS

  ! Functions that are passed as arguments
  EXTERNAL MPI_NULL_COPY_FN
  EXTERNAL MPI_DUP_FN
  EXTERNAL MPI_NULL_DELETE_FN
  EXTERNAL MPI_COMM_NULL_COPY_FN
  EXTERNAL MPI_COMM_DUP_FN
  EXTERNAL MPI_COMM_NULL_DELETE_FN
  EXTERNAL MPI_TYPE_NULL_COPY_FN
  EXTERNAL MPI_TYPE_DUP_FN
  EXTERNAL MPI_TYPE_NULL_DELETE_FN
  EXTERNAL MPI_WIN_NULL_COPY_FN
  EXTERNAL MPI_WIN_DUP_FN
  EXTERNAL MPI_WIN_NULL_DELETE_FN
  EXTERNAL MPI_CONVERSION_FN_NULL

  ! Procedures

  INTERFACE
    SUBROUTINE MPI_Abi_get_fortran_booleans(logical_size, logical_true, logical_false, is_set, &
        ierror)
      INTEGER, INTENT(IN) :: logical_size
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
      !DIR$ IGNORE_TKR logical_true
      TYPE(*), DIMENSION(*) :: logical_true
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
      !DIR$ IGNORE_TKR logical_false
      TYPE(*), DIMENSION(*) :: logical_false
      LOGICAL, INTENT(OUT) :: is_set
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Abi_get_fortran_info(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Abi_get_info(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Abi_get_version(abi_major, abi_minor, ierror)
      INTEGER, INTENT(OUT) :: abi_major
      INTEGER, INTENT(OUT) :: abi_minor
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Abi_set_fortran_booleans(logical_size, logical_true, logical_false, ierror)
      INTEGER, INTENT(IN) :: logical_size
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
      !DIR$ IGNORE_TKR logical_true
      TYPE(*), DIMENSION(*) :: logical_true
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
      !DIR$ IGNORE_TKR logical_false
      TYPE(*), DIMENSION(*) :: logical_false
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Abi_set_fortran_info(info, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Abort(comm, errorcode, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Add_error_class(errorclass, ierror)
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Add_error_code(errorclass, errorcode, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, INTENT(OUT) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Add_error_string(errorcode, string, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(IN) :: string
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    FUNCTION MPI_Aint_add(base, disp)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp
      INTEGER(KIND=MPI_ADDRESS_KIND) :: MPI_Aint_add
    END FUNCTION
    FUNCTION MPI_Aint_diff(addr1, addr2)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: addr1
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: addr2
      INTEGER(KIND=MPI_ADDRESS_KIND) :: MPI_Aint_diff
    END FUNCTION
    SUBROUTINE MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alloc_mem(size, info, baseptr, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: info
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Attr_delete(comm, keyval, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: keyval
      INTEGER, INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Attr_put(comm, keyval, attribute_val, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: keyval
      INTEGER, INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Barrier(comm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Barrier_init(comm, info, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bcast(buffer, count, datatype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*) :: buffer
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Buffer_attach(buffer, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Buffer_detach(buffer_addr, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      TYPE(*), DIMENSION(*) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Buffer_flush(ierror)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Buffer_iflush(request, ierror)
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cancel(request, ierror)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_cart
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: dims(*)
      LOGICAL, INTENT(OUT) :: periods(*)
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cart_rank(comm, coords, rank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: coords(*)
      INTEGER, INTENT(OUT) :: rank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: direction
      INTEGER, INTENT(IN) :: disp
      INTEGER, INTENT(OUT) :: rank_source
      INTEGER, INTENT(OUT) :: rank_dest
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(IN) :: remain_dims(*)
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Cartdim_get(comm, ndims, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ndims
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Close_port(port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_attach_buffer(comm, buffer, size, ierror)
      INTEGER, INTENT(IN) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_call_errhandler(comm, errorcode, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_compare(comm1, comm2, result, ierror)
      INTEGER, INTENT(IN) :: comm1
      INTEGER, INTENT(IN) :: comm2
      INTEGER, INTENT(OUT) :: result
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_create(comm, group, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      EXTERNAL :: comm_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      INTEGER, INTENT(IN) :: group
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: comm_copy_attr_fn
      EXTERNAL :: comm_delete_attr_fn
      INTEGER, INTENT(OUT) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_delete_attr(comm, comm_keyval, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_detach_buffer(comm, buffer_addr, size, ierror)
      INTEGER, INTENT(IN) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      TYPE(*), DIMENSION(*) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_disconnect(comm, ierror)
      INTEGER, INTENT(INOUT) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_dup(comm, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_flush_buffer(comm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_free(comm, ierror)
      INTEGER, INTENT(INOUT) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_free_keyval(comm_keyval, ierror)
      INTEGER, INTENT(INOUT) :: comm_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_get_errhandler(comm, errhandler, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_get_info(comm, info_used, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      INTEGER, INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(OUT) :: comm_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_get_parent(parent, ierror)
      INTEGER, INTENT(OUT) :: parent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_group(comm, group, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_idup(comm, newcomm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_iflush_buffer(comm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_join(fd, intercomm, ierror)
      INTEGER, INTENT(IN) :: fd
      INTEGER, INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_rank(comm, rank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: rank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_remote_group(comm, group, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_remote_size(comm, size, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_set_errhandler(comm, errhandler, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_set_info(comm, info, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_set_name(comm, comm_name, ierror)
      INTEGER, INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: comm_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_size(comm, size, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: command
      CHARACTER(LEN=*), INTENT(IN) :: argv(*)
      INTEGER, INTENT(IN) :: maxprocs
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      INTEGER, INTENT(IN) :: count
      CHARACTER(LEN=*), INTENT(IN) :: array_of_commands(*)
      CHARACTER(LEN=*), INTENT(IN) :: array_of_argv(count,*)
      INTEGER, INTENT(IN) :: array_of_maxprocs(*)
      INTEGER, INTENT(IN) :: array_of_info(*)
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_split(comm, color, key, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: color
      INTEGER, INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: split_type
      INTEGER, INTENT(IN) :: key
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_test_inter(comm, flag, ierror)
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: compare_addr
      !DIR$ IGNORE_TKR compare_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: compare_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Dims_create(nnodes, ndims, dims, ierror)
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(INOUT) :: dims(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, &
        info, reorder, comm_dist_graph, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: degrees(*)
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: weights(*)
      INTEGER, INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_dist_graph
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, &
        outdegree, destinations, destweights, info, reorder, comm_dist_graph, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: indegree
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: sourceweights(*)
      INTEGER, INTENT(IN) :: outdegree
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: destweights(*)
      INTEGER, INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_dist_graph
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, &
        maxoutdegree, destinations, destweights, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindegree
      INTEGER, INTENT(OUT) :: sources(*)
      INTEGER :: sourceweights(*)
      INTEGER, INTENT(IN) :: maxoutdegree
      INTEGER, INTENT(OUT) :: destinations(*)
      INTEGER :: destweights(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: indegree
      INTEGER, INTENT(OUT) :: outdegree
      LOGICAL, INTENT(OUT) :: weighted
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Errhandler_free(errhandler, ierror)
      INTEGER, INTENT(INOUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Error_class(errorcode, errorclass, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Error_string(errorcode, string, resultlen, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(OUT) :: string
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, &
        op, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_call_errhandler(fh, errorcode, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_close(fh, ierror)
      INTEGER, INTENT(INOUT) :: fh
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      EXTERNAL :: file_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_delete(filename, info, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: filename
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_amode(fh, amode, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: amode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_atomicity(fh, flag, ierror)
      INTEGER, INTENT(IN) :: fh
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_byte_offset(fh, offset, disp, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_errhandler(file, errhandler, ierror)
      INTEGER, INTENT(IN) :: file
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_group(fh, group, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_info(fh, info_used, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_position(fh, offset, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_position_shared(fh, offset, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_size(fh, size, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_type_extent(fh, datatype, extent, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      INTEGER, INTENT(OUT) :: etype
      INTEGER, INTENT(OUT) :: filetype
      CHARACTER(LEN=*), INTENT(OUT) :: datarep
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_all(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_open(comm, filename, amode, info, fh, ierror)
      INTEGER, INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: filename
      INTEGER, INTENT(IN) :: amode
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: fh
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_preallocate(fh, size, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_all(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_all_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_at_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_ordered_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_shared(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_seek(fh, offset, whence, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_seek_shared(fh, offset, whence, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_set_atomicity(fh, flag, ierror)
      INTEGER, INTENT(IN) :: fh
      LOGICAL, INTENT(IN) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_set_errhandler(file, errhandler, ierror)
      INTEGER, INTENT(IN) :: file
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_set_info(fh, info, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_set_size(fh, size, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: disp
      INTEGER, INTENT(IN) :: etype
      INTEGER, INTENT(IN) :: filetype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_sync(fh, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_all(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_all_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_at_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_ordered_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_shared(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Finalize(ierror)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Finalized(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Free_mem(base, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: base
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, &
        root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      INTEGER, INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_address(location, address, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      TYPE(*), DIMENSION(*), TARGET :: location
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: address
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_count(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_elements(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_elements_x(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_hw_resource_info(hw_info, ierror)
      INTEGER, INTENT(OUT) :: hw_info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_library_version(version, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_processor_name(name, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_version(version, subversion, ierror)
      INTEGER, INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: subversion
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_graph
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Graph_get(comm, maxindex, maxedges, indx, edges, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindex
      INTEGER, INTENT(IN) :: maxedges
      INTEGER, INTENT(OUT) :: indx(*)
      INTEGER, INTENT(OUT) :: edges(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Graph_map(comm, nnodes, indx, edges, newrank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxneighbors
      INTEGER, INTENT(OUT) :: neighbors(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(OUT) :: nneighbors
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Graphdims_get(comm, nnodes, nedges, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: nnodes
      INTEGER, INTENT(OUT) :: nedges
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Grequest_complete(request, ierror)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: query_fn
      EXTERNAL :: free_fn
      EXTERNAL :: cancel_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_compare(group1, group2, result, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: result
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_difference(group1, group2, newgroup, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_excl(group, n, ranks, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_free(group, ierror)
      INTEGER, INTENT(INOUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      INTEGER, INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_incl(group, n, ranks, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_intersection(group1, group2, newgroup, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_rank(group, rank, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: rank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_size(group, size, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks1(*)
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: ranks2(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Group_union(group1, group2, newgroup, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ibarrier(comm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Improbe(source, tag, comm, flag, message, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: message
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Imrecv(buf, count, datatype, message, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(INOUT) :: message
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_create(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_create_env(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_delete(info, key, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_dup(info, newinfo, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newinfo
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_free(info, ierror)
      INTEGER, INTENT(INOUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_get(info, key, valuelen, value, flag, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(IN) :: valuelen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_get_nkeys(info, nkeys, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: nkeys
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_get_nthkey(info, n, key, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      CHARACTER(LEN=*), INTENT(OUT) :: key
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_get_string(info, key, buflen, value, flag, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(INOUT) :: buflen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: valuelen
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Info_set(info, key, value, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      CHARACTER(LEN=*), INTENT(IN) :: value
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Init(ierror)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Init_thread(required, provided, ierror)
      INTEGER, INTENT(IN) :: required
      INTEGER, INTENT(OUT) :: provided
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Initialized(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, &
        newintercomm, ierror)
      INTEGER, INTENT(IN) :: local_comm
      INTEGER, INTENT(IN) :: local_leader
      INTEGER, INTENT(IN) :: peer_comm
      INTEGER, INTENT(IN) :: remote_leader
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(OUT) :: newintercomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      INTEGER, INTENT(IN) :: local_group
      INTEGER, INTENT(IN) :: local_leader
      INTEGER, INTENT(IN) :: remote_group
      INTEGER, INTENT(IN) :: remote_leader
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: newintercomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      INTEGER, INTENT(IN) :: intercomm
      LOGICAL, INTENT(IN) :: high
      INTEGER, INTENT(OUT) :: newintracomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iprobe(source, tag, comm, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Is_thread_main(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      EXTERNAL :: copy_fn
      EXTERNAL :: delete_fn
      INTEGER, INTENT(OUT) :: keyval
      INTEGER, INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Keyval_free(keyval, ierror)
      INTEGER, INTENT(INOUT) :: keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Lookup_name(service_name, info, port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Mprobe(source, tag, comm, message, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: message
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Mrecv(buf, count, datatype, message, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(INOUT) :: message
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Op_commutative(op, commute, ierror)
      INTEGER, INTENT(IN) :: op
      LOGICAL, INTENT(OUT) :: commute
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Op_create(user_fn, commute, op, ierror)
      EXTERNAL :: user_fn
      LOGICAL, INTENT(IN) :: commute
      INTEGER, INTENT(OUT) :: op
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Op_free(op, ierror)
      INTEGER, INTENT(INOUT) :: op
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Open_port(info, port_name, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER, INTENT(IN) :: outsize
      INTEGER, INTENT(INOUT) :: position
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, &
        ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack_size(incount, datatype, comm, size, ierror)
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Parrived(request, partition, flag, ierror)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(IN) :: partition
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pcontrol(level)
      INTEGER, INTENT(IN) :: level
    END SUBROUTINE
    SUBROUTINE MPI_Pready(partition, request, ierror)
      INTEGER, INTENT(IN) :: partition
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pready_list(length, array_of_partitions, request, ierror)
      INTEGER, INTENT(IN) :: length
      INTEGER, INTENT(IN) :: array_of_partitions(*)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pready_range(partition_low, partition_high, request, ierror)
      INTEGER, INTENT(IN) :: partition_low
      INTEGER, INTENT(IN) :: partition_high
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, &
        request, ierror)
      IMPORT :: MPI_COUNT_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Probe(source, tag, comm, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request, &
        ierror)
      IMPORT :: MPI_COUNT_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Publish_name(service_name, info, port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Query_thread(provided, ierror)
      INTEGER, INTENT(OUT) :: provided
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      TYPE(*), DIMENSION(*) :: inoutbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      EXTERNAL :: read_conversion_fn
      EXTERNAL :: write_conversion_fn
      EXTERNAL :: dtype_file_extent_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Remove_error_class(errorclass, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Remove_error_code(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Remove_error_string(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Request_free(request, ierror)
      INTEGER, INTENT(INOUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Request_get_status(request, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: request
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, &
        ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Request_get_status_any(count, array_of_requests, indx, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Request_get_status_some(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      INTEGER, INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Send(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, &
        status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_attach_buffer(session, buffer, size, ierror)
      INTEGER, INTENT(IN) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_call_errhandler(session, errorcode, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      EXTERNAL :: session_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_detach_buffer(session, buffer_addr, size, ierror)
      INTEGER, INTENT(IN) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      TYPE(*), DIMENSION(*) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_finalize(session, ierror)
      INTEGER, INTENT(INOUT) :: session
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_flush_buffer(session, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_get_errhandler(session, errhandler, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_get_info(session, info_used, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(INOUT) :: pset_len
      CHARACTER(LEN=*), INTENT(OUT) :: pset_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_get_num_psets(session, info, npset_names, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: npset_names
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_get_pset_info(session, pset_name, info, ierror)
      INTEGER, INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_iflush_buffer(session, request, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_init(info, errhandler, session, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: session
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_set_errhandler(session, errhandler, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Start(request, ierror)
      INTEGER, INTENT(INOUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Startall(count, array_of_requests, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_get_error(status, error, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: error
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_get_source(status, source, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: source
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_get_tag(status, tag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: tag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_set_cancelled(status, flag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      LOGICAL, INTENT(IN) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_set_elements(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_set_elements_x(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_set_error(status, error, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: error
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_set_source(status, source, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_set_tag(status, tag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Test(request, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(INOUT) :: request
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Test_cancelled(status, flag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Testany(count, array_of_requests, indx, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Testsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Topo_test(comm, status, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_commit(datatype, ierror)
      INTEGER, INTENT(INOUT) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_contiguous(count, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_gsizes(*)
      INTEGER, INTENT(IN) :: array_of_distribs(*)
      INTEGER, INTENT(IN) :: array_of_dargs(*)
      INTEGER, INTENT(IN) :: array_of_psizes(*)
      INTEGER, INTENT(IN) :: order
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_f90_complex(p, r, newtype, ierror)
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_f90_integer(r, newtype, ierror)
      INTEGER, INTENT(IN) :: r
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_f90_real(p, r, newtype, ierror)
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: stride
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: type_copy_attr_fn
      EXTERNAL :: type_delete_attr_fn
      INTEGER, INTENT(OUT) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: oldtype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extent
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: array_of_types(*)
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_sizes(*)
      INTEGER, INTENT(IN) :: array_of_subsizes(*)
      INTEGER, INTENT(IN) :: array_of_starts(*)
      INTEGER, INTENT(IN) :: order
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_delete_attr(datatype, type_keyval, ierror)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_dup(oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_free(datatype, ierror)
      INTEGER, INTENT(INOUT) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_free_keyval(type_keyval, ierror)
      INTEGER, INTENT(INOUT) :: type_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: max_integers
      INTEGER, INTENT(IN) :: max_addresses
      INTEGER, INTENT(IN) :: max_datatypes
      INTEGER, INTENT(OUT) :: array_of_integers(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: array_of_addresses(*)
      INTEGER, INTENT(OUT) :: array_of_datatypes(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: num_integers
      INTEGER, INTENT(OUT) :: num_addresses
      INTEGER, INTENT(OUT) :: num_datatypes
      INTEGER, INTENT(OUT) :: combiner
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_extent(datatype, lb, extent, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_extent_x(datatype, lb, extent, ierror)
      IMPORT :: MPI_COUNT_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_name(datatype, type_name, resultlen, ierror)
      INTEGER, INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(OUT) :: type_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_COUNT_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      INTEGER, INTENT(IN) :: value_type
      INTEGER, INTENT(IN) :: index_type
      INTEGER, INTENT(OUT) :: pair_type
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_match_size(typeclass, size, datatype, ierror)
      INTEGER, INTENT(IN) :: typeclass
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_set_name(datatype, type_name, ierror)
      INTEGER, INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(IN) :: type_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_size(datatype, size, ierror)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_size_x(datatype, size, ierror)
      IMPORT :: MPI_COUNT_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: stride
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: insize
      INTEGER, INTENT(INOUT) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Unpublish_name(service_name, info, port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Wait(request, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(INOUT) :: request
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Waitany(count, array_of_requests, indx, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_attach(win, base, size, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_call_errhandler(win, errorcode, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_complete(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_create_dynamic(info, comm, win, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      EXTERNAL :: win_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: win_copy_attr_fn
      EXTERNAL :: win_delete_attr_fn
      INTEGER, INTENT(OUT) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_delete_attr(win, win_keyval, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_detach(win, base, ierror)
      INTEGER, INTENT(IN) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: base
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_fence(assert, win, ierror)
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_flush(rank, win, ierror)
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_flush_all(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_flush_local(rank, win, ierror)
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_flush_local_all(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_free(win, ierror)
      INTEGER, INTENT(INOUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_free_keyval(win_keyval, ierror)
      INTEGER, INTENT(INOUT) :: win_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_get_errhandler(win, errhandler, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_get_group(win, group, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_get_info(win, info_used, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_get_name(win, win_name, resultlen, ierror)
      INTEGER, INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(OUT) :: win_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_lock(lock_type, rank, assert, win, ierror)
      INTEGER, INTENT(IN) :: lock_type
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_lock_all(assert, win, ierror)
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_post(group, assert, win, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_set_errhandler(win, errhandler, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_set_info(win, info, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_set_name(win, win_name, ierror)
      INTEGER, INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(IN) :: win_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: disp_unit
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_start(group, assert, win, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_sync(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_test(win, flag, ierror)
      INTEGER, INTENT(IN) :: win
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_unlock(rank, win, ierror)
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_unlock_all(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_wait(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    FUNCTION MPI_Wtick()
      REAL(KIND=8) :: MPI_Wtick
    END FUNCTION
    FUNCTION MPI_Wtime()
      REAL(KIND=8) :: MPI_Wtime
    END FUNCTION
    SUBROUTINE PMPI_Abi_get_fortran_booleans(logical_size, logical_true, logical_false, is_set, &
        ierror)
      INTEGER, INTENT(IN) :: logical_size
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
      !DIR$ IGNORE_TKR logical_true
      TYPE(*), DIMENSION(*) :: logical_true
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
      !DIR$ IGNORE_TKR logical_false
      TYPE(*), DIMENSION(*) :: logical_false
      LOGICAL, INTENT(OUT) :: is_set
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Abi_get_fortran_info(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Abi_get_info(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Abi_get_version(abi_major, abi_minor, ierror)
      INTEGER, INTENT(OUT) :: abi_major
      INTEGER, INTENT(OUT) :: abi_minor
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Abi_set_fortran_booleans(logical_size, logical_true, logical_false, ierror)
      INTEGER, INTENT(IN) :: logical_size
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
      !DIR$ IGNORE_TKR logical_true
      TYPE(*), DIMENSION(*) :: logical_true
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
      !DIR$ IGNORE_TKR logical_false
      TYPE(*), DIMENSION(*) :: logical_false
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Abi_set_fortran_info(info, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Abort(comm, errorcode, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Accumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Add_error_class(errorclass, ierror)
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Add_error_code(errorclass, errorcode, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, INTENT(OUT) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Add_error_string(errorcode, string, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(IN) :: string
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    FUNCTION PMPI_Aint_add(base, disp)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp
      INTEGER(KIND=MPI_ADDRESS_KIND) :: PMPI_Aint_add
    END FUNCTION
    FUNCTION PMPI_Aint_diff(addr1, addr2)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: addr1
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: addr2
      INTEGER(KIND=MPI_ADDRESS_KIND) :: PMPI_Aint_diff
    END FUNCTION
    SUBROUTINE PMPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alloc_mem(size, info, baseptr, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: info
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allreduce(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allreduce_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Attr_delete(comm, keyval, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Attr_get(comm, keyval, attribute_val, flag, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: keyval
      INTEGER, INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Attr_put(comm, keyval, attribute_val, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: keyval
      INTEGER, INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Barrier(comm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Barrier_init(comm, info, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bcast(buffer, count, datatype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*) :: buffer
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bcast_init(buffer, count, datatype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Buffer_attach(buffer, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Buffer_detach(buffer_addr, size, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      TYPE(*), DIMENSION(*) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Buffer_flush(ierror)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Buffer_iflush(request, ierror)
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cancel(request, ierror)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cart_coords(comm, rank, maxdims, coords, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cart_create(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_cart
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cart_get(comm, maxdims, dims, periods, coords, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: dims(*)
      LOGICAL, INTENT(OUT) :: periods(*)
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cart_map(comm, ndims, dims, periods, newrank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cart_rank(comm, coords, rank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: coords(*)
      INTEGER, INTENT(OUT) :: rank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cart_shift(comm, direction, disp, rank_source, rank_dest, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: direction
      INTEGER, INTENT(IN) :: disp
      INTEGER, INTENT(OUT) :: rank_source
      INTEGER, INTENT(OUT) :: rank_dest
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cart_sub(comm, remain_dims, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(IN) :: remain_dims(*)
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Cartdim_get(comm, ndims, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ndims
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Close_port(port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_accept(port_name, info, root, comm, newcomm, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_attach_buffer(comm, buffer, size, ierror)
      INTEGER, INTENT(IN) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_call_errhandler(comm, errorcode, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_compare(comm1, comm2, result, ierror)
      INTEGER, INTENT(IN) :: comm1
      INTEGER, INTENT(IN) :: comm2
      INTEGER, INTENT(OUT) :: result
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_connect(port_name, info, root, comm, newcomm, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_create(comm, group, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_create_errhandler(comm_errhandler_fn, errhandler, ierror)
      EXTERNAL :: comm_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm, ierror)
      INTEGER, INTENT(IN) :: group
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_create_group(comm, group, tag, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_create_keyval(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: comm_copy_attr_fn
      EXTERNAL :: comm_delete_attr_fn
      INTEGER, INTENT(OUT) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_delete_attr(comm, comm_keyval, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_detach_buffer(comm, buffer_addr, size, ierror)
      INTEGER, INTENT(IN) :: comm
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      TYPE(*), DIMENSION(*) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_disconnect(comm, ierror)
      INTEGER, INTENT(INOUT) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_dup(comm, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_dup_with_info(comm, info, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_flush_buffer(comm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_free(comm, ierror)
      INTEGER, INTENT(INOUT) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_free_keyval(comm_keyval, ierror)
      INTEGER, INTENT(INOUT) :: comm_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_get_attr(comm, comm_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_get_errhandler(comm, errhandler, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_get_info(comm, info_used, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_get_name(comm, comm_name, resultlen, ierror)
      INTEGER, INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(OUT) :: comm_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_get_parent(parent, ierror)
      INTEGER, INTENT(OUT) :: parent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_group(comm, group, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_idup(comm, newcomm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_idup_with_info(comm, info, newcomm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_iflush_buffer(comm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_join(fd, intercomm, ierror)
      INTEGER, INTENT(IN) :: fd
      INTEGER, INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_rank(comm, rank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: rank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_remote_group(comm, group, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_remote_size(comm, size, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_set_attr(comm, comm_keyval, attribute_val, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_set_errhandler(comm, errhandler, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_set_info(comm, info, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_set_name(comm, comm_name, ierror)
      INTEGER, INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: comm_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_size(comm, size, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_spawn(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: command
      CHARACTER(LEN=*), INTENT(IN) :: argv(*)
      INTEGER, INTENT(IN) :: maxprocs
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_spawn_multiple(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      INTEGER, INTENT(IN) :: count
      CHARACTER(LEN=*), INTENT(IN) :: array_of_commands(*)
      CHARACTER(LEN=*), INTENT(IN) :: array_of_argv(count,*)
      INTEGER, INTENT(IN) :: array_of_maxprocs(*)
      INTEGER, INTENT(IN) :: array_of_info(*)
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_split(comm, color, key, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: color
      INTEGER, INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_split_type(comm, split_type, key, info, newcomm, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: split_type
      INTEGER, INTENT(IN) :: key
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newcomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_test_inter(comm, flag, ierror)
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Compare_and_swap(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: compare_addr
      !DIR$ IGNORE_TKR compare_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: compare_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Dims_create(nnodes, ndims, dims, ierror)
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(INOUT) :: dims(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Dist_graph_create(comm_old, n, sources, degrees, destinations, weights, &
        info, reorder, comm_dist_graph, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: degrees(*)
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: weights(*)
      INTEGER, INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_dist_graph
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Dist_graph_create_adjacent(comm_old, indegree, sources, sourceweights, &
        outdegree, destinations, destweights, info, reorder, comm_dist_graph, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: indegree
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: sourceweights(*)
      INTEGER, INTENT(IN) :: outdegree
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: destweights(*)
      INTEGER, INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_dist_graph
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Dist_graph_neighbors(comm, maxindegree, sources, sourceweights, &
        maxoutdegree, destinations, destweights, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindegree
      INTEGER, INTENT(OUT) :: sources(*)
      INTEGER :: sourceweights(*)
      INTEGER, INTENT(IN) :: maxoutdegree
      INTEGER, INTENT(OUT) :: destinations(*)
      INTEGER :: destweights(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Dist_graph_neighbors_count(comm, indegree, outdegree, weighted, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: indegree
      INTEGER, INTENT(OUT) :: outdegree
      LOGICAL, INTENT(OUT) :: weighted
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Errhandler_free(errhandler, ierror)
      INTEGER, INTENT(INOUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Error_class(errorcode, errorclass, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Error_string(errorcode, string, resultlen, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(OUT) :: string
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Exscan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Exscan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Fetch_and_op(origin_addr, result_addr, datatype, target_rank, target_disp, &
        op, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_call_errhandler(fh, errorcode, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_close(fh, ierror)
      INTEGER, INTENT(INOUT) :: fh
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_create_errhandler(file_errhandler_fn, errhandler, ierror)
      EXTERNAL :: file_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_delete(filename, info, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: filename
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_amode(fh, amode, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: amode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_atomicity(fh, flag, ierror)
      INTEGER, INTENT(IN) :: fh
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_byte_offset(fh, offset, disp, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_errhandler(file, errhandler, ierror)
      INTEGER, INTENT(IN) :: file
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_group(fh, group, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_info(fh, info_used, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_position(fh, offset, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_position_shared(fh, offset, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_size(fh, size, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_type_extent(fh, datatype, extent, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_get_view(fh, disp, etype, filetype, datarep, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      INTEGER, INTENT(OUT) :: etype
      INTEGER, INTENT(OUT) :: filetype
      CHARACTER(LEN=*), INTENT(OUT) :: datarep
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_all(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_at(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_at_all(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_shared(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_all(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_at(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_at_all(fh, offset, buf, count, datatype, request, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_shared(fh, buf, count, datatype, request, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_open(comm, filename, amode, info, fh, ierror)
      INTEGER, INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: filename
      INTEGER, INTENT(IN) :: amode
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: fh
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_preallocate(fh, size, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_all(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_all_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_at(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_at_all(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_at_all_begin(fh, offset, buf, count, datatype, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_at_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_ordered(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_ordered_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_ordered_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_shared(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_seek(fh, offset, whence, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_seek_shared(fh, offset, whence, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_set_atomicity(fh, flag, ierror)
      INTEGER, INTENT(IN) :: fh
      LOGICAL, INTENT(IN) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_set_errhandler(file, errhandler, ierror)
      INTEGER, INTENT(IN) :: file
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_set_info(fh, info, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_set_size(fh, size, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_set_view(fh, disp, etype, filetype, datarep, info, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: disp
      INTEGER, INTENT(IN) :: etype
      INTEGER, INTENT(IN) :: filetype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_sync(fh, ierror)
      INTEGER, INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_all(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_all_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_at(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_at_all(fh, offset, buf, count, datatype, status, ierror)
      IMPORT :: MPI_OFFSET_KIND, MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_at_all_begin(fh, offset, buf, count, datatype, ierror)
      IMPORT :: MPI_OFFSET_KIND
      INTEGER, INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_at_all_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_ordered(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_ordered_begin(fh, buf, count, datatype, ierror)
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_ordered_end(fh, buf, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_shared(fh, buf, count, datatype, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: fh
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Finalize(ierror)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Finalized(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Free_mem(base, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: base
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      INTEGER, INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_address(location, address, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: location
      !DIR$ IGNORE_TKR location
      TYPE(*), DIMENSION(*), TARGET :: location
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: address
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_count(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_elements(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_elements_x(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_hw_resource_info(hw_info, ierror)
      INTEGER, INTENT(OUT) :: hw_info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_library_version(version, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_processor_name(name, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_version(version, subversion, ierror)
      INTEGER, INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: subversion
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Graph_create(comm_old, nnodes, indx, edges, reorder, comm_graph, ierror)
      INTEGER, INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      LOGICAL, INTENT(IN) :: reorder
      INTEGER, INTENT(OUT) :: comm_graph
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Graph_get(comm, maxindex, maxedges, indx, edges, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindex
      INTEGER, INTENT(IN) :: maxedges
      INTEGER, INTENT(OUT) :: indx(*)
      INTEGER, INTENT(OUT) :: edges(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Graph_map(comm, nnodes, indx, edges, newrank, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Graph_neighbors(comm, rank, maxneighbors, neighbors, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxneighbors
      INTEGER, INTENT(OUT) :: neighbors(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Graph_neighbors_count(comm, rank, nneighbors, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(OUT) :: nneighbors
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Graphdims_get(comm, nnodes, nedges, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: nnodes
      INTEGER, INTENT(OUT) :: nedges
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Grequest_complete(request, ierror)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Grequest_start(query_fn, free_fn, cancel_fn, extra_state, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: query_fn
      EXTERNAL :: free_fn
      EXTERNAL :: cancel_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_compare(group1, group2, result, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: result
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_difference(group1, group2, newgroup, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_excl(group, n, ranks, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_free(group, ierror)
      INTEGER, INTENT(INOUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_from_session_pset(session, pset_name, newgroup, ierror)
      INTEGER, INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_incl(group, n, ranks, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_intersection(group1, group2, newgroup, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_range_excl(group, n, ranges, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_range_incl(group, n, ranges, newgroup, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_rank(group, rank, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: rank
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_size(group, size, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks1(*)
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: ranks2(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Group_union(group1, group2, newgroup, ierror)
      INTEGER, INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: newgroup
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iallgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iallgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iallreduce(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ialltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ialltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ialltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, &
        rdispls, recvtypes, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ibarrier(comm, request, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ibcast(buffer, count, datatype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ibsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iexscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Igather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Igatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Improbe(source, tag, comm, flag, message, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: message
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Imrecv(buf, count, datatype, message, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(INOUT) :: message
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_create(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_create_env(info, ierror)
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_delete(info, key, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_dup(info, newinfo, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: newinfo
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_free(info, ierror)
      INTEGER, INTENT(INOUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_get(info, key, valuelen, value, flag, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(IN) :: valuelen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_get_nkeys(info, nkeys, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: nkeys
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_get_nthkey(info, n, key, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      CHARACTER(LEN=*), INTENT(OUT) :: key
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_get_string(info, key, buflen, value, flag, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(INOUT) :: buflen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_get_valuelen(info, key, valuelen, flag, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: valuelen
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Info_set(info, key, value, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      CHARACTER(LEN=*), INTENT(IN) :: value
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Init(ierror)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Init_thread(required, provided, ierror)
      INTEGER, INTENT(IN) :: required
      INTEGER, INTENT(OUT) :: provided
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Initialized(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Intercomm_create(local_comm, local_leader, peer_comm, remote_leader, tag, &
        newintercomm, ierror)
      INTEGER, INTENT(IN) :: local_comm
      INTEGER, INTENT(IN) :: local_leader
      INTEGER, INTENT(IN) :: peer_comm
      INTEGER, INTENT(IN) :: remote_leader
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(OUT) :: newintercomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Intercomm_create_from_groups(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      INTEGER, INTENT(IN) :: local_group
      INTEGER, INTENT(IN) :: local_leader
      INTEGER, INTENT(IN) :: remote_group
      INTEGER, INTENT(IN) :: remote_leader
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: newintercomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Intercomm_merge(intercomm, high, newintracomm, ierror)
      INTEGER, INTENT(IN) :: intercomm
      LOGICAL, INTENT(IN) :: high
      INTEGER, INTENT(OUT) :: newintracomm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iprobe(source, tag, comm, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Irecv(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ireduce(sendbuf, recvbuf, count, datatype, op, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ireduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ireduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Irsend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Is_thread_main(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iscan(sendbuf, recvbuf, count, datatype, op, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iscatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iscatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Isend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Isendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Isendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Issend(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Keyval_create(copy_fn, delete_fn, keyval, extra_state, ierror)
      EXTERNAL :: copy_fn
      EXTERNAL :: delete_fn
      INTEGER, INTENT(OUT) :: keyval
      INTEGER, INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Keyval_free(keyval, ierror)
      INTEGER, INTENT(INOUT) :: keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Lookup_name(service_name, info, port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Mprobe(source, tag, comm, message, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: message
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Mrecv(buf, count, datatype, message, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(INOUT) :: message
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgather_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgatherv_init(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoall_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallv_init(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallw(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallw_init(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      INTEGER, INTENT(IN) :: sendtypes(*)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      INTEGER, INTENT(IN) :: recvtypes(*)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Op_commutative(op, commute, ierror)
      INTEGER, INTENT(IN) :: op
      LOGICAL, INTENT(OUT) :: commute
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Op_create(user_fn, commute, op, ierror)
      EXTERNAL :: user_fn
      LOGICAL, INTENT(IN) :: commute
      INTEGER, INTENT(OUT) :: op
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Op_free(op, ierror)
      INTEGER, INTENT(INOUT) :: op
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Open_port(info, port_name, ierror)
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER, INTENT(IN) :: outsize
      INTEGER, INTENT(INOUT) :: position
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack_external(datarep, inbuf, incount, datatype, outbuf, outsize, position, &
        ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack_external_size(datarep, incount, datatype, size, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack_size(incount, datatype, comm, size, ierror)
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Parrived(request, partition, flag, ierror)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(IN) :: partition
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pcontrol(level)
      INTEGER, INTENT(IN) :: level
    END SUBROUTINE
    SUBROUTINE PMPI_Pready(partition, request, ierror)
      INTEGER, INTENT(IN) :: partition
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pready_list(length, array_of_partitions, request, ierror)
      INTEGER, INTENT(IN) :: length
      INTEGER, INTENT(IN) :: array_of_partitions(*)
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pready_range(partition_low, partition_high, request, ierror)
      INTEGER, INTENT(IN) :: partition_low
      INTEGER, INTENT(IN) :: partition_high
      INTEGER, INTENT(IN) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, &
        request, ierror)
      IMPORT :: MPI_COUNT_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Probe(source, tag, comm, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, &
        request, ierror)
      IMPORT :: MPI_COUNT_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Publish_name(service_name, info, port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Put(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Query_thread(provided, ierror)
      INTEGER, INTENT(OUT) :: provided
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Raccumulate(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Recv(buf, count, datatype, source, tag, comm, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Recv_init(buf, count, datatype, source, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_init(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_local(inbuf, inoutbuf, count, datatype, op, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inoutbuf
      !DIR$ IGNORE_TKR inoutbuf
      TYPE(*), DIMENSION(*) :: inoutbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter_block_init(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter_init(sendbuf, recvbuf, recvcounts, datatype, op, comm, info, &
        request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Register_datarep(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      EXTERNAL :: read_conversion_fn
      EXTERNAL :: write_conversion_fn
      EXTERNAL :: dtype_file_extent_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Remove_error_class(errorclass, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Remove_error_code(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Remove_error_string(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Request_free(request, ierror)
      INTEGER, INTENT(INOUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Request_get_status(request, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: request
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Request_get_status_all(count, array_of_requests, flag, array_of_statuses, &
        ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Request_get_status_any(count, array_of_requests, indx, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Request_get_status_some(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rget(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rget_accumulate(origin_addr, origin_count, origin_datatype, result_addr, &
        result_count, result_datatype, target_rank, target_disp, target_count, target_datatype, &
        op, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: result_addr
      !DIR$ IGNORE_TKR result_addr
      TYPE(*), DIMENSION(*), TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      INTEGER, INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rput(origin_addr, origin_count, origin_datatype, target_rank, target_disp, &
        target_count, target_datatype, win, request, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: origin_addr
      !DIR$ IGNORE_TKR origin_addr
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      INTEGER, INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      INTEGER, INTENT(IN) :: target_datatype
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rsend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rsend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scan(sendbuf, recvbuf, count, datatype, op, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scan_init(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: op
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, &
        comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatter_init(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatterv_init(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      INTEGER, INTENT(IN) :: sendtype
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*), TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Send(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Send_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, &
        recvtype, source, recvtag, comm, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: sendbuf
      !DIR$ IGNORE_TKR sendbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      INTEGER, INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: recvbuf
      !DIR$ IGNORE_TKR recvbuf
      TYPE(*), DIMENSION(*) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      INTEGER, INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      INTEGER, INTENT(IN) :: comm
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_attach_buffer(session, buffer, size, ierror)
      INTEGER, INTENT(IN) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer
      !DIR$ IGNORE_TKR buffer
      TYPE(*), DIMENSION(*), TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_call_errhandler(session, errorcode, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_create_errhandler(session_errhandler_fn, errhandler, ierror)
      EXTERNAL :: session_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_detach_buffer(session, buffer_addr, size, ierror)
      INTEGER, INTENT(IN) :: session
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buffer_addr
      !DIR$ IGNORE_TKR buffer_addr
      TYPE(*), DIMENSION(*) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_finalize(session, ierror)
      INTEGER, INTENT(INOUT) :: session
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_flush_buffer(session, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_get_errhandler(session, errhandler, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_get_info(session, info_used, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_get_nth_pset(session, info, n, pset_len, pset_name, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(INOUT) :: pset_len
      CHARACTER(LEN=*), INTENT(OUT) :: pset_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_get_num_psets(session, info, npset_names, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: npset_names
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_get_pset_info(session, pset_name, info, ierror)
      INTEGER, INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      INTEGER, INTENT(OUT) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_iflush_buffer(session, request, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_init(info, errhandler, session, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: session
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_set_errhandler(session, errhandler, ierror)
      INTEGER, INTENT(IN) :: session
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ssend(buf, count, datatype, dest, tag, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ssend_init(buf, count, datatype, dest, tag, comm, request, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: buf
      !DIR$ IGNORE_TKR buf
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: buf
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Start(request, ierror)
      INTEGER, INTENT(INOUT) :: request
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Startall(count, array_of_requests, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_get_error(status, error, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: error
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_get_source(status, source, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: source
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_get_tag(status, tag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: tag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_set_cancelled(status, flag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      LOGICAL, INTENT(IN) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_set_elements(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_set_elements_x(status, datatype, count, ierror)
      IMPORT :: MPI_STATUS_SIZE, MPI_COUNT_KIND
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_set_error(status, error, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: error
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_set_source(status, source, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_set_tag(status, tag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: tag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Test(request, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(INOUT) :: request
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Test_cancelled(status, flag, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, DIMENSION(MPI_STATUS_SIZE), INTENT(IN) :: status
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Testall(count, array_of_requests, flag, array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Testany(count, array_of_requests, indx, flag, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Topo_test(comm, status, ierror)
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_commit(datatype, ierror)
      INTEGER, INTENT(INOUT) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_contiguous(count, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs, &
        array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_gsizes(*)
      INTEGER, INTENT(IN) :: array_of_distribs(*)
      INTEGER, INTENT(IN) :: array_of_dargs(*)
      INTEGER, INTENT(IN) :: array_of_psizes(*)
      INTEGER, INTENT(IN) :: order
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_f90_complex(p, r, newtype, ierror)
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_f90_integer(r, newtype, ierror)
      INTEGER, INTENT(IN) :: r
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_f90_real(p, r, newtype, ierror)
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_hindexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: stride
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_indexed_block(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_keyval(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: type_copy_attr_fn
      EXTERNAL :: type_delete_attr_fn
      INTEGER, INTENT(OUT) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_resized(oldtype, lb, extent, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: oldtype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extent
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: array_of_types(*)
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_sizes(*)
      INTEGER, INTENT(IN) :: array_of_subsizes(*)
      INTEGER, INTENT(IN) :: array_of_starts(*)
      INTEGER, INTENT(IN) :: order
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_delete_attr(datatype, type_keyval, ierror)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_dup(oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_free(datatype, ierror)
      INTEGER, INTENT(INOUT) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_free_keyval(type_keyval, ierror)
      INTEGER, INTENT(INOUT) :: type_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_attr(datatype, type_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_contents(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: max_integers
      INTEGER, INTENT(IN) :: max_addresses
      INTEGER, INTENT(IN) :: max_datatypes
      INTEGER, INTENT(OUT) :: array_of_integers(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: array_of_addresses(*)
      INTEGER, INTENT(OUT) :: array_of_datatypes(*)
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_envelope(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: num_integers
      INTEGER, INTENT(OUT) :: num_addresses
      INTEGER, INTENT(OUT) :: num_datatypes
      INTEGER, INTENT(OUT) :: combiner
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_extent(datatype, lb, extent, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_extent_x(datatype, lb, extent, ierror)
      IMPORT :: MPI_COUNT_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_name(datatype, type_name, resultlen, ierror)
      INTEGER, INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(OUT) :: type_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_true_extent(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_true_extent_x(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_COUNT_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_extent
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_value_index(value_type, index_type, pair_type, ierror)
      INTEGER, INTENT(IN) :: value_type
      INTEGER, INTENT(IN) :: index_type
      INTEGER, INTENT(OUT) :: pair_type
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, oldtype, &
        newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_match_size(typeclass, size, datatype, ierror)
      INTEGER, INTENT(IN) :: typeclass
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_set_attr(datatype, type_keyval, attribute_val, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_set_name(datatype, type_name, ierror)
      INTEGER, INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(IN) :: type_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_size(datatype, size, ierror)
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_size_x(datatype, size, ierror)
      IMPORT :: MPI_COUNT_KIND
      INTEGER, INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_vector(count, blocklength, stride, oldtype, newtype, ierror)
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: stride
      INTEGER, INTENT(IN) :: oldtype
      INTEGER, INTENT(OUT) :: newtype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm, ierror)
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: insize
      INTEGER, INTENT(INOUT) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Unpack_external(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: inbuf
      !DIR$ IGNORE_TKR inbuf
      TYPE(*), DIMENSION(*), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: outbuf
      !DIR$ IGNORE_TKR outbuf
      TYPE(*), DIMENSION(*) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      INTEGER, INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Unpublish_name(service_name, info, port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      INTEGER, INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Wait(request, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(INOUT) :: request
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Waitall(count, array_of_requests, array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Waitany(count, array_of_requests, indx, status, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      INTEGER, DIMENSION(MPI_STATUS_SIZE) :: status
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_STATUS_SIZE
      INTEGER, INTENT(IN) :: incount
      INTEGER, INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      INTEGER, DIMENSION(MPI_STATUS_SIZE,*) :: array_of_statuses
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_allocate(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_allocate_shared(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_attach(win, base, size, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_call_errhandler(win, errorcode, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_complete(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_create(base, size, disp_unit, info, comm, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_create_dynamic(info, comm, win, ierror)
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_create_errhandler(win_errhandler_fn, errhandler, ierror)
      EXTERNAL :: win_errhandler_fn
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_create_keyval(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      EXTERNAL :: win_copy_attr_fn
      EXTERNAL :: win_delete_attr_fn
      INTEGER, INTENT(OUT) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_delete_attr(win, win_keyval, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_detach(win, base, ierror)
      INTEGER, INTENT(IN) :: win
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: base
      !DIR$ IGNORE_TKR base
      TYPE(*), DIMENSION(*), INTENT(IN), TARGET :: base
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_fence(assert, win, ierror)
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_flush(rank, win, ierror)
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_flush_all(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_flush_local(rank, win, ierror)
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_flush_local_all(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_free(win, ierror)
      INTEGER, INTENT(INOUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_free_keyval(win_keyval, ierror)
      INTEGER, INTENT(INOUT) :: win_keyval
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_get_attr(win, win_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_get_errhandler(win, errhandler, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_get_group(win, group, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: group
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_get_info(win, info_used, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: info_used
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_get_name(win, win_name, resultlen, ierror)
      INTEGER, INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(OUT) :: win_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_lock(lock_type, rank, assert, win, ierror)
      INTEGER, INTENT(IN) :: lock_type
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_lock_all(assert, win, ierror)
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_post(group, assert, win, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_set_attr(win, win_keyval, attribute_val, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_set_errhandler(win, errhandler, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: errhandler
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_set_info(win, info, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_set_name(win, win_name, ierror)
      INTEGER, INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(IN) :: win_name
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_shared_query(win, rank, size, disp_unit, baseptr, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: disp_unit
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_start(group, assert, win, ierror)
      INTEGER, INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_sync(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_test(win, flag, ierror)
      INTEGER, INTENT(IN) :: win
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_unlock(rank, win, ierror)
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_unlock_all(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_wait(win, ierror)
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
    FUNCTION PMPI_Wtick()
      REAL(KIND=8) :: PMPI_Wtick
    END FUNCTION
    FUNCTION PMPI_Wtime()
      REAL(KIND=8) :: PMPI_Wtime
    END FUNCTION
  END INTERFACE

  INTERFACE MPI_Alloc_mem
    PROCEDURE :: MPI_Alloc_mem
    SUBROUTINE MPI_Alloc_mem_CPTR(size, info, baseptr, ierror) BIND(C, NAME="mpi_alloc_mem_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: info
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_allocate
    PROCEDURE :: MPI_Win_allocate
    SUBROUTINE MPI_Win_allocate_CPTR(size, disp_unit, info, comm, baseptr, win, ierror) BIND(C, &
        NAME="mpi_win_allocate_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_allocate_shared
    PROCEDURE :: MPI_Win_allocate_shared
    SUBROUTINE MPI_Win_allocate_shared_CPTR(size, disp_unit, info, comm, baseptr, win, ierror) &
        BIND(C, NAME="mpi_win_allocate_shared_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_shared_query
    PROCEDURE :: MPI_Win_shared_query
    SUBROUTINE MPI_Win_shared_query_CPTR(win, rank, size, disp_unit, baseptr, ierror) BIND(C, &
        NAME="mpi_win_shared_query_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: disp_unit
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alloc_mem
    PROCEDURE :: PMPI_Alloc_mem
    SUBROUTINE PMPI_Alloc_mem_CPTR(size, info, baseptr, ierror) BIND(C, NAME="pmpi_alloc_mem_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: info
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_allocate
    PROCEDURE :: PMPI_Win_allocate
    SUBROUTINE PMPI_Win_allocate_CPTR(size, disp_unit, info, comm, baseptr, win, ierror) &
        BIND(C, NAME="pmpi_win_allocate_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_allocate_shared
    PROCEDURE :: PMPI_Win_allocate_shared
    SUBROUTINE PMPI_Win_allocate_shared_CPTR(size, disp_unit, info, comm, baseptr, win, ierror) &
        BIND(C, NAME="pmpi_win_allocate_shared_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      INTEGER, INTENT(IN) :: info
      INTEGER, INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: win
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_shared_query
    PROCEDURE :: PMPI_Win_shared_query
    SUBROUTINE PMPI_Win_shared_query_CPTR(win, rank, size, disp_unit, baseptr, ierror) BIND(C, &
        NAME="pmpi_win_shared_query_")
      IMPORT :: MPI_ADDRESS_KIND, C_PTR
      INTEGER, INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: disp_unit
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE
END MODULE mpi
