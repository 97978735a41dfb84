! Written from the doors of the library by tools/write-modules: change them.

MODULE mpi_f08
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

  ! What this form of Fortran support can do
  LOGICAL, PARAMETER :: MPI_SUBARRAYS_SUPPORTED=.TRUE.
  LOGICAL, PARAMETER :: MPI_ASYNC_PROTECTS_NONBLOCKING=.TRUE.

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
  TYPE(MPI_Op), PARAMETER :: MPI_OP_NULL=MPI_Op(32)
  TYPE(MPI_Op), PARAMETER :: MPI_SUM=MPI_Op(33)
  TYPE(MPI_Op), PARAMETER :: MPI_MIN=MPI_Op(34)
  TYPE(MPI_Op), PARAMETER :: MPI_MAX=MPI_Op(35)
  TYPE(MPI_Op), PARAMETER :: MPI_PROD=MPI_Op(36)
  TYPE(MPI_Op), PARAMETER :: MPI_BAND=MPI_Op(40)
  TYPE(MPI_Op), PARAMETER :: MPI_BOR=MPI_Op(41)
  TYPE(MPI_Op), PARAMETER :: MPI_BXOR=MPI_Op(42)
  TYPE(MPI_Op), PARAMETER :: MPI_LAND=MPI_Op(48)
  TYPE(MPI_Op), PARAMETER :: MPI_LOR=MPI_Op(49)
  TYPE(MPI_Op), PARAMETER :: MPI_LXOR=MPI_Op(50)
  TYPE(MPI_Op), PARAMETER :: MPI_MINLOC=MPI_Op(56)
  TYPE(MPI_Op), PARAMETER :: MPI_MAXLOC=MPI_Op(57)
  TYPE(MPI_Op), PARAMETER :: MPI_REPLACE=MPI_Op(60)
  TYPE(MPI_Op), PARAMETER :: MPI_NO_OP=MPI_Op(61)

  ! Communicators
  TYPE(MPI_Comm), PARAMETER :: MPI_COMM_NULL=MPI_Comm(256)
  TYPE(MPI_Comm), PARAMETER :: MPI_COMM_WORLD=MPI_Comm(257)
  TYPE(MPI_Comm), PARAMETER :: MPI_COMM_SELF=MPI_Comm(258)

  ! Groups
  TYPE(MPI_Group), PARAMETER :: MPI_GROUP_NULL=MPI_Group(264)
  TYPE(MPI_Group), PARAMETER :: MPI_GROUP_EMPTY=MPI_Group(265)

  ! Windows
  TYPE(MPI_Win), PARAMETER :: MPI_WIN_NULL=MPI_Win(272)

  ! Files
  TYPE(MPI_File), PARAMETER :: MPI_FILE_NULL=MPI_File(280)

  ! Sessions
  TYPE(MPI_Session), PARAMETER :: MPI_SESSION_NULL=MPI_Session(288)

  ! Messages
  TYPE(MPI_Message), PARAMETER :: MPI_MESSAGE_NULL=MPI_Message(296)
  TYPE(MPI_Message), PARAMETER :: MPI_MESSAGE_NO_PROC=MPI_Message(297)

  ! Infos
  TYPE(MPI_Info), PARAMETER :: MPI_INFO_NULL=MPI_Info(304)
  TYPE(MPI_Info), PARAMETER :: MPI_INFO_ENV=MPI_Info(305)

  ! Error handlers
  TYPE(MPI_Errhandler), PARAMETER :: MPI_ERRHANDLER_NULL=MPI_Errhandler(320)
  TYPE(MPI_Errhandler), PARAMETER :: MPI_ERRORS_ARE_FATAL=MPI_Errhandler(321)
  TYPE(MPI_Errhandler), PARAMETER :: MPI_ERRORS_ABORT=MPI_Errhandler(322)
  TYPE(MPI_Errhandler), PARAMETER :: MPI_ERRORS_RETURN=MPI_Errhandler(323)

  ! Requests
  TYPE(MPI_Request), PARAMETER :: MPI_REQUEST_NULL=MPI_Request(384)

  ! Datatypes
  TYPE(MPI_Datatype), PARAMETER :: MPI_DATATYPE_NULL=MPI_Datatype(512)
  TYPE(MPI_Datatype), PARAMETER :: MPI_AINT=MPI_Datatype(513)
  TYPE(MPI_Datatype), PARAMETER :: MPI_COUNT=MPI_Datatype(514)
  TYPE(MPI_Datatype), PARAMETER :: MPI_OFFSET=MPI_Datatype(515)
  TYPE(MPI_Datatype), PARAMETER :: MPI_PACKED=MPI_Datatype(519)
  TYPE(MPI_Datatype), PARAMETER :: MPI_SHORT=MPI_Datatype(520)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INT=MPI_Datatype(521)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LONG=MPI_Datatype(522)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LONG_LONG=MPI_Datatype(523)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UNSIGNED_SHORT=MPI_Datatype(524)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UNSIGNED=MPI_Datatype(525)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UNSIGNED_LONG=MPI_Datatype(526)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UNSIGNED_LONG_LONG=MPI_Datatype(527)
  TYPE(MPI_Datatype), PARAMETER :: MPI_FLOAT=MPI_Datatype(528)
  TYPE(MPI_Datatype), PARAMETER :: MPI_C_FLOAT_COMPLEX=MPI_Datatype(530)
  TYPE(MPI_Datatype), PARAMETER :: MPI_CXX_FLOAT_COMPLEX=MPI_Datatype(531)
  TYPE(MPI_Datatype), PARAMETER :: MPI_DOUBLE=MPI_Datatype(532)
  TYPE(MPI_Datatype), PARAMETER :: MPI_C_DOUBLE_COMPLEX=MPI_Datatype(534)
  TYPE(MPI_Datatype), PARAMETER :: MPI_CXX_DOUBLE_COMPLEX=MPI_Datatype(535)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LOGICAL=MPI_Datatype(536)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INTEGER=MPI_Datatype(537)
  TYPE(MPI_Datatype), PARAMETER :: MPI_CHARACTER=MPI_Datatype(542)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LONG_DOUBLE=MPI_Datatype(544)
  TYPE(MPI_Datatype), PARAMETER :: MPI_C_LONG_DOUBLE_COMPLEX=MPI_Datatype(548)
  TYPE(MPI_Datatype), PARAMETER :: MPI_CXX_LONG_DOUBLE_COMPLEX=MPI_Datatype(549)
  TYPE(MPI_Datatype), PARAMETER :: MPI_FLOAT_INT=MPI_Datatype(552)
  TYPE(MPI_Datatype), PARAMETER :: MPI_DOUBLE_INT=MPI_Datatype(553)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LONG_INT=MPI_Datatype(554)
  TYPE(MPI_Datatype), PARAMETER :: MPI_2INT=MPI_Datatype(555)
  TYPE(MPI_Datatype), PARAMETER :: MPI_SHORT_INT=MPI_Datatype(556)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LONG_DOUBLE_INT=MPI_Datatype(557)
  TYPE(MPI_Datatype), PARAMETER :: MPI_2INTEGER=MPI_Datatype(562)
  TYPE(MPI_Datatype), PARAMETER :: MPI_C_BOOL=MPI_Datatype(568)
  TYPE(MPI_Datatype), PARAMETER :: MPI_CXX_BOOL=MPI_Datatype(569)
  TYPE(MPI_Datatype), PARAMETER :: MPI_WCHAR=MPI_Datatype(572)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INT8_T=MPI_Datatype(576)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UINT8_T=MPI_Datatype(577)
  TYPE(MPI_Datatype), PARAMETER :: MPI_CHAR=MPI_Datatype(579)
  TYPE(MPI_Datatype), PARAMETER :: MPI_SIGNED_CHAR=MPI_Datatype(580)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UNSIGNED_CHAR=MPI_Datatype(581)
  TYPE(MPI_Datatype), PARAMETER :: MPI_BYTE=MPI_Datatype(583)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INT16_T=MPI_Datatype(584)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UINT16_T=MPI_Datatype(585)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INT32_T=MPI_Datatype(592)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UINT32_T=MPI_Datatype(593)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INT64_T=MPI_Datatype(600)
  TYPE(MPI_Datatype), PARAMETER :: MPI_UINT64_T=MPI_Datatype(601)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LOGICAL1=MPI_Datatype(704)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INTEGER1=MPI_Datatype(705)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LOGICAL2=MPI_Datatype(712)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INTEGER2=MPI_Datatype(713)
  TYPE(MPI_Datatype), PARAMETER :: MPI_REAL2=MPI_Datatype(714)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LOGICAL4=MPI_Datatype(720)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INTEGER4=MPI_Datatype(721)
  TYPE(MPI_Datatype), PARAMETER :: MPI_REAL4=MPI_Datatype(722)
  TYPE(MPI_Datatype), PARAMETER :: MPI_COMPLEX4=MPI_Datatype(723)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LOGICAL8=MPI_Datatype(728)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INTEGER8=MPI_Datatype(729)
  TYPE(MPI_Datatype), PARAMETER :: MPI_REAL8=MPI_Datatype(730)
  TYPE(MPI_Datatype), PARAMETER :: MPI_COMPLEX8=MPI_Datatype(731)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LOGICAL16=MPI_Datatype(736)
  TYPE(MPI_Datatype), PARAMETER :: MPI_INTEGER16=MPI_Datatype(737)
  TYPE(MPI_Datatype), PARAMETER :: MPI_REAL16=MPI_Datatype(738)
  TYPE(MPI_Datatype), PARAMETER :: MPI_COMPLEX16=MPI_Datatype(739)
  TYPE(MPI_Datatype), PARAMETER :: MPI_COMPLEX32=MPI_Datatype(747)
  TYPE(MPI_Datatype), PARAMETER :: MPI_LONG_LONG_INT=MPI_Datatype(523)
  TYPE(MPI_Datatype), PARAMETER :: MPI_C_COMPLEX=MPI_Datatype(530)

  ! Types of default kinds, also where -fdefault-real-8 changes the kinds:
  ! REAL is then as large as MPI_REAL8, and what has no type is null
  INTEGER, PARAMETER :: FTMPI_REAL8=ISHFT(KIND(1.0),-3)
  INTEGER, PARAMETER :: FTMPI_DBLE16=ISHFT(KIND(1.0D0),-4)
  TYPE(MPI_Datatype), PARAMETER :: MPI_REAL=MPI_Datatype(538+192*FTMPI_REAL8)
  TYPE(MPI_Datatype), PARAMETER :: MPI_COMPLEX=MPI_Datatype(539+200*FTMPI_REAL8)
  TYPE(MPI_Datatype), PARAMETER :: MPI_DOUBLE_PRECISION=MPI_Datatype(540+198*FTMPI_DBLE16)
  TYPE(MPI_Datatype), PARAMETER :: MPI_DOUBLE_COMPLEX=MPI_Datatype(541+206*FTMPI_DBLE16)
  TYPE(MPI_Datatype), PARAMETER :: MPI_2REAL=MPI_Datatype(560+FTMPI_REAL8)
  TYPE(MPI_Datatype), PARAMETER :: MPI_2DOUBLE_PRECISION=MPI_Datatype(561-49*FTMPI_DBLE16)

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

  ! Recovery: what stands in the handle that MPI_COMM_DUP is to set
  TYPE(MPI_Comm), PARAMETER :: FT_MPI_CHECK_RECOVER=MPI_Comm(1179927378)
  TYPE(MPI_Comm), PARAMETER :: FTMPI_CHECK_RECOVER=MPI_Comm(1179927378)

  ! Restarted ranks: what MPI_INIT says in them
  INTEGER, PARAMETER :: MPI_INIT_RESTARTED_PROCS=2001
  INTEGER, PARAMETER :: MPI_INIT_RESTARTED_PROC=2001
  INTEGER, PARAMETER :: MPI_INIT_RESTARTED_NODE=2001
  INTEGER, PARAMETER :: FT_MPI_INIT_RESTARTED_NODE=2001

  ! Attributes: the record of failures, and modes
  INTEGER, PARAMETER :: FT_MPI_LIST_NUM_FAILED=7001
  INTEGER, PARAMETER :: FT_MPI_LIST_FAILED=7002
  INTEGER, PARAMETER :: FT_MPI_COM_NUM_FAILED=7003
  INTEGER, PARAMETER :: FT_MPI_COM_FAILED=7004
  INTEGER, PARAMETER :: FTMPI_NUM_FAILED_PROCS=7005
  INTEGER, PARAMETER :: FTMPI_COMM_MODE=7006
  INTEGER, PARAMETER :: FTMPI_MSG_MODE=7007
  INTEGER, PARAMETER :: FTMPI_COLL_MODE=7008
  INTEGER, PARAMETER :: FTMPI_RECOVERY_MODE=7009
  INTEGER, PARAMETER :: FTMPI_COMM_STATE=7011
  INTEGER, PARAMETER :: FTMPI_RANK_STATES=7012
  INTEGER, PARAMETER :: MPIX_FT=7010
  INTEGER, PARAMETER :: MPI_FT=7010

  ! Modes of FT-MPI
  INTEGER, PARAMETER :: FTMPI_COMM_MODE_ABORT=0
  INTEGER, PARAMETER :: FTMPI_COMM_MODE_BLANK=1
  INTEGER, PARAMETER :: FTMPI_COMM_MODE_SHRINK=2
  INTEGER, PARAMETER :: FTMPI_COMM_MODE_REBUILD=3
  INTEGER, PARAMETER :: FTMPI_MSG_MODE_RESET=0
  INTEGER, PARAMETER :: FTMPI_MSG_MODE_NOOP=0
  INTEGER, PARAMETER :: FTMPI_MSG_MODE_NOP=0
  INTEGER, PARAMETER :: FTMPI_MSG_MODE_CONT=1
  INTEGER, PARAMETER :: FTMPI_MSG_MODE_CONTINUE=1
  INTEGER, PARAMETER :: FTMPI_COLL_MODE_NON_ATOMIC=0
  INTEGER, PARAMETER :: FTMPI_COLL_MODE_ATOMIC=1
  INTEGER, PARAMETER :: FTMPI_RECOVERY_MODE_MANUAL=0
  INTEGER, PARAMETER :: FTMPI_RECOVERY_MODE_AUTO=1
  INTEGER, PARAMETER :: FTMPI_COMM_STATE_OK=0
  INTEGER, PARAMETER :: FTMPI_COMM_STATE_DETECTED=1
  INTEGER, PARAMETER :: FTMPI_COMM_STATE_RECOVER=2
  INTEGER, PARAMETER :: FTMPI_COMM_STATE_RECOVERED=3
  INTEGER, PARAMETER :: FTMPI_COMM_STATE_FAILED=4
  INTEGER, PARAMETER :: FTMPI_RANK_STATE_OK=0
  INTEGER, PARAMETER :: FTMPI_RANK_STATE_UNAVAILABLE=1
  INTEGER, PARAMETER :: FTMPI_RANK_STATE_JOINING=2
  INTEGER, PARAMETER :: FTMPI_RANK_STATE_FAILED=3

  ! Error classes of ULFM
  INTEGER, PARAMETER :: MPIX_ERR_PROC_FAILED=75
  INTEGER, PARAMETER :: MPIX_ERR_PROC_FAILED_PENDING=76
  INTEGER, PARAMETER :: MPIX_ERR_REVOKED=77
  INTEGER, PARAMETER :: MPI_ERR_PROC_FAILED=75
  INTEGER, PARAMETER :: MPI_ERR_PROC_FAILED_PENDING=76
  INTEGER, PARAMETER :: MPI_ERR_REVOKED=77

  ! Variables that stand for special arguments: the library knows them
  ! by their place in these blocks, and nobody reads or writes them
  INTEGER MPI_BOTTOM
  INTEGER MPI_IN_PLACE
  INTEGER MPI_BUFFER_AUTOMATIC(1)
  INTEGER MPI_UNWEIGHTED(1)
  INTEGER MPI_WEIGHTS_EMPTY(1)
  INTEGER MPI_ERRCODES_IGNORE(1)
  TYPE(MPI_Status) MPI_STATUS_IGNORE
  TYPE(MPI_Status) MPI_STATUSES_IGNORE(1)
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


  ! What the program's own functions look like

  ABSTRACT INTERFACE
    SUBROUTINE MPI_User_function(invec, inoutvec, len, datatype)
      IMPORT :: C_PTR, MPI_Datatype
      TYPE(C_PTR), VALUE :: invec, inoutvec
      INTEGER :: len
      TYPE(MPI_Datatype) :: datatype
    END SUBROUTINE
    SUBROUTINE MPI_User_function_c(invec, inoutvec, len, datatype)
      IMPORT :: C_PTR, MPI_Datatype, MPI_COUNT_KIND
      TYPE(C_PTR), VALUE :: invec, inoutvec
      INTEGER(KIND=MPI_COUNT_KIND) :: len
      TYPE(MPI_Datatype) :: datatype
    END SUBROUTINE
    SUBROUTINE MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      IMPORT :: MPI_Comm, MPI_ADDRESS_KIND
      TYPE(MPI_Comm) :: oldcomm
      INTEGER :: comm_keyval, ierror
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      LOGICAL :: flag
    END SUBROUTINE
    SUBROUTINE MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, &
        ierror)
      IMPORT :: MPI_Comm, MPI_ADDRESS_KIND
      TYPE(MPI_Comm) :: comm
      INTEGER :: comm_keyval, ierror
      INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    END SUBROUTINE
    SUBROUTINE MPI_Type_copy_attr_function(oldtype, type_keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype) :: oldtype
      INTEGER :: type_keyval, ierror
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      LOGICAL :: flag
    END SUBROUTINE
    SUBROUTINE MPI_Type_delete_attr_function(datatype, type_keyval, attribute_val, &
        extra_state, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype) :: datatype
      INTEGER :: type_keyval, ierror
      INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    END SUBROUTINE
    SUBROUTINE MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, &
        attribute_val_in, attribute_val_out, flag, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win) :: oldwin
      INTEGER :: win_keyval, ierror
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
      LOGICAL :: flag
    END SUBROUTINE
    SUBROUTINE MPI_Win_delete_attr_function(win, win_keyval, attribute_val, extra_state, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win) :: win
      INTEGER :: win_keyval, ierror
      INTEGER(KIND=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    END SUBROUTINE
    SUBROUTINE MPI_Comm_errhandler_function(comm, error_code)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm) :: comm
      INTEGER :: error_code
    END SUBROUTINE
    SUBROUTINE MPI_Win_errhandler_function(win, error_code)
      IMPORT :: MPI_Win
      TYPE(MPI_Win) :: win
      INTEGER :: error_code
    END SUBROUTINE
    SUBROUTINE MPI_File_errhandler_function(file, error_code)
      IMPORT :: MPI_File
      TYPE(MPI_File) :: file
      INTEGER :: error_code
    END SUBROUTINE
    SUBROUTINE MPI_Session_errhandler_function(session, error_code)
      IMPORT :: MPI_Session
      TYPE(MPI_Session) :: session
      INTEGER :: error_code
    END SUBROUTINE
    SUBROUTINE MPI_Grequest_query_function(extra_state, status, ierror)
      IMPORT :: MPI_Status, MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state
      TYPE(MPI_Status) :: status
      INTEGER :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Grequest_free_function(extra_state, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state
      INTEGER :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Grequest_cancel_function(extra_state, complete, ierror)
      IMPORT :: MPI_ADDRESS_KIND
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state
      LOGICAL :: complete
      INTEGER :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extent, extra_state
      INTEGER :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      IMPORT :: C_PTR, MPI_Datatype, MPI_ADDRESS_KIND, MPI_OFFSET_KIND
      TYPE(C_PTR), VALUE :: userbuf, filebuf
      TYPE(MPI_Datatype) :: datatype
      INTEGER :: count, ierror
      INTEGER(KIND=MPI_OFFSET_KIND) :: position
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state
    END SUBROUTINE
    SUBROUTINE MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      IMPORT :: C_PTR, MPI_Datatype, MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_OFFSET_KIND
      TYPE(C_PTR), VALUE :: userbuf, filebuf
      TYPE(MPI_Datatype) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND) :: count
      INTEGER(KIND=MPI_OFFSET_KIND) :: position
      INTEGER(KIND=MPI_ADDRESS_KIND) :: extra_state
      INTEGER :: ierror
    END SUBROUTINE
  END INTERFACE

  ! Such functions that the library has

  PROCEDURE(MPI_Comm_copy_attr_function) :: MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN
  PROCEDURE(MPI_Comm_delete_attr_function) :: MPI_COMM_NULL_DELETE_FN
  PROCEDURE(MPI_Type_copy_attr_function) :: MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN
  PROCEDURE(MPI_Type_delete_attr_function) :: MPI_TYPE_NULL_DELETE_FN
  PROCEDURE(MPI_Win_copy_attr_function) :: MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN
  PROCEDURE(MPI_Win_delete_attr_function) :: MPI_WIN_NULL_DELETE_FN
  PROCEDURE(MPI_Datarep_conversion_function) :: MPI_CONVERSION_FN_NULL
  PROCEDURE(MPI_Datarep_conversion_function_c) :: MPI_CONVERSION_FN_NULL_C

  ! Functions that return a value, and their like

  INTERFACE
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
    SUBROUTINE MPI_Pcontrol(level)
      INTEGER, INTENT(IN) :: level
    END SUBROUTINE
    FUNCTION MPI_Wtick()
      REAL(KIND=8) :: MPI_Wtick
    END FUNCTION
    FUNCTION MPI_Wtime()
      REAL(KIND=8) :: MPI_Wtime
    END FUNCTION
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
    SUBROUTINE PMPI_Pcontrol(level)
      INTEGER, INTENT(IN) :: level
    END SUBROUTINE
    FUNCTION PMPI_Wtick()
      REAL(KIND=8) :: PMPI_Wtick
    END FUNCTION
    FUNCTION PMPI_Wtime()
      REAL(KIND=8) :: PMPI_Wtime
    END FUNCTION
  END INTERFACE

  ! Subroutines

  INTERFACE MPIX_Comm_ack_failed
    SUBROUTINE MPIX_Comm_ack_failed_f08(comm, num_to_ack, num_acked, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: num_to_ack
      INTEGER, INTENT(OUT) :: num_acked
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_agree
    SUBROUTINE MPIX_Comm_agree_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_failure_ack
    SUBROUTINE MPIX_Comm_failure_ack_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_failure_get_acked
    SUBROUTINE MPIX_Comm_failure_get_acked_f08(comm, failedgrp, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: failedgrp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_get_failed
    SUBROUTINE MPIX_Comm_get_failed_f08(comm, failedgrp, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: failedgrp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_iagree
    SUBROUTINE MPIX_Comm_iagree_f08(comm, flag, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT), ASYNCHRONOUS, TARGET :: flag
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_is_revoked
    SUBROUTINE MPIX_Comm_is_revoked_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_ishrink
    SUBROUTINE MPIX_Comm_ishrink_f08(comm, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_revoke
    SUBROUTINE MPIX_Comm_revoke_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPIX_Comm_shrink
    SUBROUTINE MPIX_Comm_shrink_f08(comm, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Abi_get_fortran_booleans
    SUBROUTINE MPI_Abi_get_fortran_booleans_f08(logical_size, logical_true, logical_false, &
        is_set, ierror)
      INTEGER, INTENT(IN) :: logical_size
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
      !DIR$ IGNORE_TKR logical_true
      TYPE(*), DIMENSION(*) :: logical_true
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
      !DIR$ IGNORE_TKR logical_false
      TYPE(*), DIMENSION(*) :: logical_false
      LOGICAL, INTENT(OUT) :: is_set
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Abi_get_fortran_info
    SUBROUTINE MPI_Abi_get_fortran_info_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Abi_get_info
    SUBROUTINE MPI_Abi_get_info_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Abi_get_version
    SUBROUTINE MPI_Abi_get_version_f08(abi_major, abi_minor, ierror)
      INTEGER, INTENT(OUT) :: abi_major
      INTEGER, INTENT(OUT) :: abi_minor
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Abi_set_fortran_booleans
    SUBROUTINE MPI_Abi_set_fortran_booleans_f08ts(logical_size, logical_true, logical_false, &
        ierror) BIND(C, NAME="mpi_abi_set_fortran_booleans_f08ts_")
      INTEGER, INTENT(IN) :: logical_size
      TYPE(*), DIMENSION(..) :: logical_true
      TYPE(*), DIMENSION(..) :: logical_false
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Abi_set_fortran_info
    SUBROUTINE MPI_Abi_set_fortran_info_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Abort
    SUBROUTINE MPI_Abort_f08(comm, errorcode, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Accumulate
    SUBROUTINE MPI_Accumulate_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) BIND(C, &
        NAME="mpi_accumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) BIND(C, &
        NAME="mpi_accumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Add_error_class
    SUBROUTINE MPI_Add_error_class_f08(errorclass, ierror)
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Add_error_code
    SUBROUTINE MPI_Add_error_code_f08(errorclass, errorcode, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, INTENT(OUT) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Add_error_string
    SUBROUTINE MPI_Add_error_string_f08(errorcode, string, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(IN) :: string
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Allgather
    SUBROUTINE MPI_Allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror) BIND(C, NAME="mpi_allgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="mpi_allgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Allgather_init
    SUBROUTINE MPI_Allgather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="mpi_allgather_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allgather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="mpi_allgather_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Allgatherv
    SUBROUTINE MPI_Allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror) BIND(C, NAME="mpi_allgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror) BIND(C, NAME="mpi_allgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Allgatherv_init
    SUBROUTINE MPI_Allgatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_allgatherv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allgatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_allgatherv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Alloc_mem
    SUBROUTINE MPI_Alloc_mem_f08(size, info, baseptr, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Allreduce
    SUBROUTINE MPI_Allreduce_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="mpi_allreduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allreduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) &
        BIND(C, NAME="mpi_allreduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Allreduce_init
    SUBROUTINE MPI_Allreduce_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="mpi_allreduce_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Allreduce_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="mpi_allreduce_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Alltoall
    SUBROUTINE MPI_Alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror) BIND(C, NAME="mpi_alltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror) BIND(C, NAME="mpi_alltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Alltoall_init
    SUBROUTINE MPI_Alltoall_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="mpi_alltoall_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoall_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="mpi_alltoall_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Alltoallv
    SUBROUTINE MPI_Alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, &
        rdispls, recvtype, comm, ierror) BIND(C, NAME="mpi_alltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror) BIND(C, NAME="mpi_alltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Alltoallv_init
    SUBROUTINE MPI_Alltoallv_init_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_alltoallv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallv_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_alltoallv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Alltoallw
    SUBROUTINE MPI_Alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, NAME="mpi_alltoallw_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, NAME="mpi_alltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Alltoallw_init
    SUBROUTINE MPI_Alltoallw_init_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="mpi_alltoallw_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Alltoallw_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="mpi_alltoallw_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Barrier
    SUBROUTINE MPI_Barrier_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Barrier_init
    SUBROUTINE MPI_Barrier_init_f08(comm, info, request, ierror)
      IMPORT :: MPI_Comm, MPI_Info, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Bcast
    SUBROUTINE MPI_Bcast_f08ts(buffer, count, datatype, root, comm, ierror) BIND(C, &
        NAME="mpi_bcast_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..) :: buffer
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bcast_c_f08ts(buffer, count, datatype, root, comm, ierror) BIND(C, &
        NAME="mpi_bcast_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..) :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Bcast_init
    SUBROUTINE MPI_Bcast_init_f08ts(buffer, count, datatype, root, comm, info, request, ierror) &
        BIND(C, NAME="mpi_bcast_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bcast_init_c_f08ts(buffer, count, datatype, root, comm, info, request, &
        ierror) BIND(C, NAME="mpi_bcast_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Bsend
    SUBROUTINE MPI_Bsend_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_bsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bsend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_bsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Bsend_init
    SUBROUTINE MPI_Bsend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_bsend_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Bsend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_bsend_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Buffer_attach
    SUBROUTINE MPI_Buffer_attach_f08ts(buffer, size, ierror) BIND(C, &
        NAME="mpi_buffer_attach_f08ts_")
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Buffer_attach_c_f08ts(buffer, size, ierror) BIND(C, &
        NAME="mpi_buffer_attach_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Buffer_detach
    SUBROUTINE MPI_Buffer_detach_f08(buffer_addr, size, ierror)
      IMPORT :: C_PTR
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Buffer_detach_c_f08(buffer_addr, size, ierror)
      IMPORT :: C_PTR, MPI_COUNT_KIND
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Buffer_flush
    SUBROUTINE MPI_Buffer_flush_f08(ierror)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Buffer_iflush
    SUBROUTINE MPI_Buffer_iflush_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cancel
    SUBROUTINE MPI_Cancel_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cart_coords
    SUBROUTINE MPI_Cart_coords_f08(comm, rank, maxdims, coords, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cart_create
    SUBROUTINE MPI_Cart_create_f08(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_cart
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cart_get
    SUBROUTINE MPI_Cart_get_f08(comm, maxdims, dims, periods, coords, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: dims(*)
      LOGICAL, INTENT(OUT) :: periods(*)
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cart_map
    SUBROUTINE MPI_Cart_map_f08(comm, ndims, dims, periods, newrank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cart_rank
    SUBROUTINE MPI_Cart_rank_f08(comm, coords, rank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: coords(*)
      INTEGER, INTENT(OUT) :: rank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cart_shift
    SUBROUTINE MPI_Cart_shift_f08(comm, direction, disp, rank_source, rank_dest, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: direction
      INTEGER, INTENT(IN) :: disp
      INTEGER, INTENT(OUT) :: rank_source
      INTEGER, INTENT(OUT) :: rank_dest
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cart_sub
    SUBROUTINE MPI_Cart_sub_f08(comm, remain_dims, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(IN) :: remain_dims(*)
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Cartdim_get
    SUBROUTINE MPI_Cartdim_get_f08(comm, ndims, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ndims
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Close_port
    SUBROUTINE MPI_Close_port_f08(port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_accept
    SUBROUTINE MPI_Comm_accept_f08(port_name, info, root, comm, newcomm, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_ack_failed
    SUBROUTINE MPI_Comm_ack_failed_f08(comm, num_to_ack, num_acked, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: num_to_ack
      INTEGER, INTENT(OUT) :: num_acked
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_agree
    SUBROUTINE MPI_Comm_agree_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_attach_buffer
    SUBROUTINE MPI_Comm_attach_buffer_f08ts(comm, buffer, size, ierror) BIND(C, &
        NAME="mpi_comm_attach_buffer_f08ts_")
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_attach_buffer_c_f08ts(comm, buffer, size, ierror) BIND(C, &
        NAME="mpi_comm_attach_buffer_c_f08ts_")
      IMPORT :: MPI_Comm, MPI_COUNT_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_call_errhandler
    SUBROUTINE MPI_Comm_call_errhandler_f08(comm, errorcode, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_compare
    SUBROUTINE MPI_Comm_compare_f08(comm1, comm2, result, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm1
      TYPE(MPI_Comm), INTENT(IN) :: comm2
      INTEGER, INTENT(OUT) :: result
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_connect
    SUBROUTINE MPI_Comm_connect_f08(port_name, info, root, comm, newcomm, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_create
    SUBROUTINE MPI_Comm_create_f08(comm, group, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(IN) :: group
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_create_errhandler
    SUBROUTINE MPI_Comm_create_errhandler_f08(comm_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_Comm_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_Comm_errhandler_function) :: comm_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_create_from_group
    SUBROUTINE MPI_Comm_create_from_group_f08(group, stringtag, info, errhandler, newcomm, &
        ierror)
      IMPORT :: MPI_Group, MPI_Info, MPI_Errhandler, MPI_Comm
      TYPE(MPI_Group), INTENT(IN) :: group
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_create_group
    SUBROUTINE MPI_Comm_create_group_f08(comm, group, tag, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_create_keyval
    SUBROUTINE MPI_Comm_create_keyval_f08(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function, MPI_ADDRESS_KIND
      PROCEDURE(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
      PROCEDURE(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
      INTEGER, INTENT(OUT) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_delete_attr
    SUBROUTINE MPI_Comm_delete_attr_f08(comm, comm_keyval, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_detach_buffer
    SUBROUTINE MPI_Comm_detach_buffer_f08(comm, buffer_addr, size, ierror)
      IMPORT :: MPI_Comm, C_PTR
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Comm_detach_buffer_c_f08(comm, buffer_addr, size, ierror)
      IMPORT :: MPI_Comm, C_PTR, MPI_COUNT_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_disconnect
    SUBROUTINE MPI_Comm_disconnect_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(INOUT) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_dup
    SUBROUTINE MPI_Comm_dup_f08(comm, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_dup_with_info
    SUBROUTINE MPI_Comm_dup_with_info_f08(comm, info, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_flush_buffer
    SUBROUTINE MPI_Comm_flush_buffer_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_free
    SUBROUTINE MPI_Comm_free_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(INOUT) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_free_keyval
    SUBROUTINE MPI_Comm_free_keyval_f08(comm_keyval, ierror)
      INTEGER, INTENT(INOUT) :: comm_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_get_attr
    SUBROUTINE MPI_Comm_get_attr_f08(comm, comm_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_Comm, MPI_ADDRESS_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_get_errhandler
    SUBROUTINE MPI_Comm_get_errhandler_f08(comm, errhandler, ierror)
      IMPORT :: MPI_Comm, MPI_Errhandler
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_get_failed
    SUBROUTINE MPI_Comm_get_failed_f08(comm, failedgrp, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: failedgrp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_get_info
    SUBROUTINE MPI_Comm_get_info_f08(comm, info_used, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_get_name
    SUBROUTINE MPI_Comm_get_name_f08(comm, comm_name, resultlen, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(OUT) :: comm_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_get_parent
    SUBROUTINE MPI_Comm_get_parent_f08(parent, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(OUT) :: parent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_group
    SUBROUTINE MPI_Comm_group_f08(comm, group, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_iagree
    SUBROUTINE MPI_Comm_iagree_f08(comm, flag, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT), ASYNCHRONOUS, TARGET :: flag
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_idup
    SUBROUTINE MPI_Comm_idup_f08(comm, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_idup_with_info
    SUBROUTINE MPI_Comm_idup_with_info_f08(comm, info, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Info, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_iflush_buffer
    SUBROUTINE MPI_Comm_iflush_buffer_f08(comm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_is_revoked
    SUBROUTINE MPI_Comm_is_revoked_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_ishrink
    SUBROUTINE MPI_Comm_ishrink_f08(comm, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_join
    SUBROUTINE MPI_Comm_join_f08(fd, intercomm, ierror)
      IMPORT :: MPI_Comm
      INTEGER, INTENT(IN) :: fd
      TYPE(MPI_Comm), INTENT(OUT) :: intercomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_rank
    SUBROUTINE MPI_Comm_rank_f08(comm, rank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: rank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_remote_group
    SUBROUTINE MPI_Comm_remote_group_f08(comm, group, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_remote_size
    SUBROUTINE MPI_Comm_remote_size_f08(comm, size, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_revoke
    SUBROUTINE MPI_Comm_revoke_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_set_attr
    SUBROUTINE MPI_Comm_set_attr_f08(comm, comm_keyval, attribute_val, ierror)
      IMPORT :: MPI_Comm, MPI_ADDRESS_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_set_errhandler
    SUBROUTINE MPI_Comm_set_errhandler_f08(comm, errhandler, ierror)
      IMPORT :: MPI_Comm, MPI_Errhandler
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_set_info
    SUBROUTINE MPI_Comm_set_info_f08(comm, info, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_set_name
    SUBROUTINE MPI_Comm_set_name_f08(comm, comm_name, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: comm_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_shrink
    SUBROUTINE MPI_Comm_shrink_f08(comm, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_size
    SUBROUTINE MPI_Comm_size_f08(comm, size, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_spawn
    SUBROUTINE MPI_Comm_spawn_f08(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      CHARACTER(LEN=*), INTENT(IN) :: command
      CHARACTER(LEN=*), INTENT(IN) :: argv(*)
      INTEGER, INTENT(IN) :: maxprocs
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_spawn_multiple
    SUBROUTINE MPI_Comm_spawn_multiple_f08(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      INTEGER, INTENT(IN) :: count
      CHARACTER(LEN=*), INTENT(IN) :: array_of_commands(*)
      CHARACTER(LEN=*), INTENT(IN) :: array_of_argv(count,*)
      INTEGER, INTENT(IN) :: array_of_maxprocs(*)
      TYPE(MPI_Info), INTENT(IN) :: array_of_info(*)
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_split
    SUBROUTINE MPI_Comm_split_f08(comm, color, key, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: color
      INTEGER, INTENT(IN) :: key
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_split_type
    SUBROUTINE MPI_Comm_split_type_f08(comm, split_type, key, info, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: split_type
      INTEGER, INTENT(IN) :: key
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Comm_test_inter
    SUBROUTINE MPI_Comm_test_inter_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Compare_and_swap
    SUBROUTINE MPI_Compare_and_swap_f08ts(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror) BIND(C, NAME="mpi_compare_and_swap_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: compare_addr
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Dims_create
    SUBROUTINE MPI_Dims_create_f08(nnodes, ndims, dims, ierror)
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(INOUT) :: dims(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Dist_graph_create
    SUBROUTINE MPI_Dist_graph_create_f08(comm_old, n, sources, degrees, destinations, weights, &
        info, reorder, comm_dist_graph, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: degrees(*)
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: weights(*)
      TYPE(MPI_Info), INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_dist_graph
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Dist_graph_create_adjacent
    SUBROUTINE MPI_Dist_graph_create_adjacent_f08(comm_old, indegree, sources, sourceweights, &
        outdegree, destinations, destweights, info, reorder, comm_dist_graph, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: indegree
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: sourceweights(*)
      INTEGER, INTENT(IN) :: outdegree
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: destweights(*)
      TYPE(MPI_Info), INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_dist_graph
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Dist_graph_neighbors
    SUBROUTINE MPI_Dist_graph_neighbors_f08(comm, maxindegree, sources, sourceweights, &
        maxoutdegree, destinations, destweights, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindegree
      INTEGER, INTENT(OUT) :: sources(*)
      INTEGER :: sourceweights(*)
      INTEGER, INTENT(IN) :: maxoutdegree
      INTEGER, INTENT(OUT) :: destinations(*)
      INTEGER :: destweights(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Dist_graph_neighbors_count
    SUBROUTINE MPI_Dist_graph_neighbors_count_f08(comm, indegree, outdegree, weighted, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: indegree
      INTEGER, INTENT(OUT) :: outdegree
      LOGICAL, INTENT(OUT) :: weighted
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Errhandler_free
    SUBROUTINE MPI_Errhandler_free_f08(errhandler, ierror)
      IMPORT :: MPI_Errhandler
      TYPE(MPI_Errhandler), INTENT(INOUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Error_class
    SUBROUTINE MPI_Error_class_f08(errorcode, errorclass, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Error_string
    SUBROUTINE MPI_Error_string_f08(errorcode, string, resultlen, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(OUT) :: string
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Exscan
    SUBROUTINE MPI_Exscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="mpi_exscan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Exscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="mpi_exscan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Exscan_init
    SUBROUTINE MPI_Exscan_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="mpi_exscan_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Exscan_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="mpi_exscan_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Fetch_and_op
    SUBROUTINE MPI_Fetch_and_op_f08ts(origin_addr, result_addr, datatype, target_rank, &
        target_disp, op, win, ierror) BIND(C, NAME="mpi_fetch_and_op_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_call_errhandler
    SUBROUTINE MPI_File_call_errhandler_f08(fh, errorcode, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_close
    SUBROUTINE MPI_File_close_f08(fh, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(INOUT) :: fh
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_create_errhandler
    SUBROUTINE MPI_File_create_errhandler_f08(file_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_File_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_File_errhandler_function) :: file_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_delete
    SUBROUTINE MPI_File_delete_f08(filename, info, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: filename
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_amode
    SUBROUTINE MPI_File_get_amode_f08(fh, amode, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: amode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_atomicity
    SUBROUTINE MPI_File_get_atomicity_f08(fh, flag, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_byte_offset
    SUBROUTINE MPI_File_get_byte_offset_f08(fh, offset, disp, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_errhandler
    SUBROUTINE MPI_File_get_errhandler_f08(file, errhandler, ierror)
      IMPORT :: MPI_File, MPI_Errhandler
      TYPE(MPI_File), INTENT(IN) :: file
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_group
    SUBROUTINE MPI_File_get_group_f08(fh, group, ierror)
      IMPORT :: MPI_File, MPI_Group
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_info
    SUBROUTINE MPI_File_get_info_f08(fh, info_used, ierror)
      IMPORT :: MPI_File, MPI_Info
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_position
    SUBROUTINE MPI_File_get_position_f08(fh, offset, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_position_shared
    SUBROUTINE MPI_File_get_position_shared_f08(fh, offset, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_size
    SUBROUTINE MPI_File_get_size_f08(fh, size, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_type_extent
    SUBROUTINE MPI_File_get_type_extent_f08(fh, datatype, extent, ierror)
      IMPORT :: MPI_File, MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_get_view
    SUBROUTINE MPI_File_get_view_f08(fh, disp, etype, filetype, datarep, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      TYPE(MPI_Datatype), INTENT(OUT) :: etype
      TYPE(MPI_Datatype), INTENT(OUT) :: filetype
      CHARACTER(LEN=*), INTENT(OUT) :: datarep
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iread
    SUBROUTINE MPI_File_iread_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iread_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iread_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iread_all
    SUBROUTINE MPI_File_iread_all_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iread_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_all_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iread_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iread_at
    SUBROUTINE MPI_File_iread_at_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iread_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_at_c_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iread_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iread_at_all
    SUBROUTINE MPI_File_iread_at_all_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iread_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_at_all_c_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iread_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iread_shared
    SUBROUTINE MPI_File_iread_shared_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iread_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iread_shared_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iread_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iwrite
    SUBROUTINE MPI_File_iwrite_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iwrite_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iwrite_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iwrite_all
    SUBROUTINE MPI_File_iwrite_all_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iwrite_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_all_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iwrite_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iwrite_at
    SUBROUTINE MPI_File_iwrite_at_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iwrite_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_at_c_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iwrite_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iwrite_at_all
    SUBROUTINE MPI_File_iwrite_at_all_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iwrite_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_at_all_c_f08ts(fh, offset, buf, count, datatype, request, &
        ierror) BIND(C, NAME="mpi_file_iwrite_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_iwrite_shared
    SUBROUTINE MPI_File_iwrite_shared_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="mpi_file_iwrite_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_iwrite_shared_c_f08ts(fh, buf, count, datatype, request, ierror) &
        BIND(C, NAME="mpi_file_iwrite_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_open
    SUBROUTINE MPI_File_open_f08(comm, filename, amode, info, fh, ierror)
      IMPORT :: MPI_Comm, MPI_Info, MPI_File
      TYPE(MPI_Comm), INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: filename
      INTEGER, INTENT(IN) :: amode
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_File), INTENT(OUT) :: fh
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_preallocate
    SUBROUTINE MPI_File_preallocate_f08(fh, size, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read
    SUBROUTINE MPI_File_read_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_all
    SUBROUTINE MPI_File_read_all_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_all_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_all_begin
    SUBROUTINE MPI_File_read_all_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_read_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_all_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_read_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_all_end
    SUBROUTINE MPI_File_read_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="mpi_file_read_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_at
    SUBROUTINE MPI_File_read_at_f08ts(fh, offset, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_at_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="mpi_file_read_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_at_all
    SUBROUTINE MPI_File_read_at_all_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="mpi_file_read_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_at_all_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="mpi_file_read_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_at_all_begin
    SUBROUTINE MPI_File_read_at_all_begin_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="mpi_file_read_at_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_at_all_begin_c_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="mpi_file_read_at_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_at_all_end
    SUBROUTINE MPI_File_read_at_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="mpi_file_read_at_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_ordered
    SUBROUTINE MPI_File_read_ordered_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_ordered_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_ordered_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_ordered_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_ordered_begin
    SUBROUTINE MPI_File_read_ordered_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_read_ordered_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_ordered_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_read_ordered_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_ordered_end
    SUBROUTINE MPI_File_read_ordered_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="mpi_file_read_ordered_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_read_shared
    SUBROUTINE MPI_File_read_shared_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_read_shared_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_read_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_seek
    SUBROUTINE MPI_File_seek_f08(fh, offset, whence, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_seek_shared
    SUBROUTINE MPI_File_seek_shared_f08(fh, offset, whence, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_set_atomicity
    SUBROUTINE MPI_File_set_atomicity_f08(fh, flag, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      LOGICAL, INTENT(IN) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_set_errhandler
    SUBROUTINE MPI_File_set_errhandler_f08(file, errhandler, ierror)
      IMPORT :: MPI_File, MPI_Errhandler
      TYPE(MPI_File), INTENT(IN) :: file
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_set_info
    SUBROUTINE MPI_File_set_info_f08(fh, info, ierror)
      IMPORT :: MPI_File, MPI_Info
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_set_size
    SUBROUTINE MPI_File_set_size_f08(fh, size, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_set_view
    SUBROUTINE MPI_File_set_view_f08(fh, disp, etype, filetype, datarep, info, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Info
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: disp
      TYPE(MPI_Datatype), INTENT(IN) :: etype
      TYPE(MPI_Datatype), INTENT(IN) :: filetype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_sync
    SUBROUTINE MPI_File_sync_f08(fh, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write
    SUBROUTINE MPI_File_write_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_all
    SUBROUTINE MPI_File_write_all_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_all_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_all_begin
    SUBROUTINE MPI_File_write_all_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_write_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_all_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_write_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_all_end
    SUBROUTINE MPI_File_write_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="mpi_file_write_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_at
    SUBROUTINE MPI_File_write_at_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="mpi_file_write_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_at_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="mpi_file_write_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_at_all
    SUBROUTINE MPI_File_write_at_all_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="mpi_file_write_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_at_all_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="mpi_file_write_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_at_all_begin
    SUBROUTINE MPI_File_write_at_all_begin_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="mpi_file_write_at_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_at_all_begin_c_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="mpi_file_write_at_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_at_all_end
    SUBROUTINE MPI_File_write_at_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="mpi_file_write_at_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_ordered
    SUBROUTINE MPI_File_write_ordered_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_ordered_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_ordered_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_ordered_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_ordered_begin
    SUBROUTINE MPI_File_write_ordered_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_write_ordered_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_ordered_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="mpi_file_write_ordered_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_ordered_end
    SUBROUTINE MPI_File_write_ordered_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="mpi_file_write_ordered_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_File_write_shared
    SUBROUTINE MPI_File_write_shared_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_File_write_shared_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="mpi_file_write_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Finalize
    SUBROUTINE MPI_Finalize_f08(ierror)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Finalized
    SUBROUTINE MPI_Finalized_f08(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Free_mem
    SUBROUTINE MPI_Free_mem_f08ts(base, ierror) BIND(C, NAME="mpi_free_mem_f08ts_")
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: base
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Gather
    SUBROUTINE MPI_Gather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="mpi_gather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="mpi_gather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Gather_init
    SUBROUTINE MPI_Gather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="mpi_gather_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="mpi_gather_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Gatherv
    SUBROUTINE MPI_Gatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror) BIND(C, NAME="mpi_gatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror) BIND(C, NAME="mpi_gatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Gatherv_init
    SUBROUTINE MPI_Gatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="mpi_gatherv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Gatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="mpi_gatherv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get
    SUBROUTINE MPI_Get_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, NAME="mpi_get_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, &
        NAME="mpi_get_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_accumulate
    SUBROUTINE MPI_Get_accumulate_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror) BIND(C, NAME="mpi_get_accumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror) BIND(C, NAME="mpi_get_accumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_address
    SUBROUTINE MPI_Get_address_f08ts(location, address, ierror) BIND(C, &
        NAME="mpi_get_address_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: location
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: address
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_count
    SUBROUTINE MPI_Get_count_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_count_c_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_elements
    SUBROUTINE MPI_Get_elements_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Get_elements_c_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_elements_x
    SUBROUTINE MPI_Get_elements_x_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_hw_resource_info
    SUBROUTINE MPI_Get_hw_resource_info_f08(hw_info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: hw_info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_library_version
    SUBROUTINE MPI_Get_library_version_f08(version, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_processor_name
    SUBROUTINE MPI_Get_processor_name_f08(name, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Get_version
    SUBROUTINE MPI_Get_version_f08(version, subversion, ierror)
      INTEGER, INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: subversion
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Graph_create
    SUBROUTINE MPI_Graph_create_f08(comm_old, nnodes, indx, edges, reorder, comm_graph, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_graph
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Graph_get
    SUBROUTINE MPI_Graph_get_f08(comm, maxindex, maxedges, indx, edges, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindex
      INTEGER, INTENT(IN) :: maxedges
      INTEGER, INTENT(OUT) :: indx(*)
      INTEGER, INTENT(OUT) :: edges(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Graph_map
    SUBROUTINE MPI_Graph_map_f08(comm, nnodes, indx, edges, newrank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Graph_neighbors
    SUBROUTINE MPI_Graph_neighbors_f08(comm, rank, maxneighbors, neighbors, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxneighbors
      INTEGER, INTENT(OUT) :: neighbors(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Graph_neighbors_count
    SUBROUTINE MPI_Graph_neighbors_count_f08(comm, rank, nneighbors, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(OUT) :: nneighbors
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Graphdims_get
    SUBROUTINE MPI_Graphdims_get_f08(comm, nnodes, nedges, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: nnodes
      INTEGER, INTENT(OUT) :: nedges
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Grequest_complete
    SUBROUTINE MPI_Grequest_complete_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Grequest_start
    SUBROUTINE MPI_Grequest_start_f08(query_fn, free_fn, cancel_fn, extra_state, request, &
        ierror)
      IMPORT :: MPI_Grequest_query_function, MPI_Grequest_free_function, &
        MPI_Grequest_cancel_function, MPI_ADDRESS_KIND, MPI_Request
      PROCEDURE(MPI_Grequest_query_function) :: query_fn
      PROCEDURE(MPI_Grequest_free_function) :: free_fn
      PROCEDURE(MPI_Grequest_cancel_function) :: cancel_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_compare
    SUBROUTINE MPI_Group_compare_f08(group1, group2, result, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: result
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_difference
    SUBROUTINE MPI_Group_difference_f08(group1, group2, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_excl
    SUBROUTINE MPI_Group_excl_f08(group, n, ranks, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_free
    SUBROUTINE MPI_Group_free_f08(group, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(INOUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_from_session_pset
    SUBROUTINE MPI_Group_from_session_pset_f08(session, pset_name, newgroup, ierror)
      IMPORT :: MPI_Session, MPI_Group
      TYPE(MPI_Session), INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_incl
    SUBROUTINE MPI_Group_incl_f08(group, n, ranks, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_intersection
    SUBROUTINE MPI_Group_intersection_f08(group1, group2, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_range_excl
    SUBROUTINE MPI_Group_range_excl_f08(group, n, ranges, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_range_incl
    SUBROUTINE MPI_Group_range_incl_f08(group, n, ranges, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_rank
    SUBROUTINE MPI_Group_rank_f08(group, rank, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: rank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_size
    SUBROUTINE MPI_Group_size_f08(group, size, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_translate_ranks
    SUBROUTINE MPI_Group_translate_ranks_f08(group1, n, ranks1, group2, ranks2, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks1(*)
      TYPE(MPI_Group), INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: ranks2(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Group_union
    SUBROUTINE MPI_Group_union_f08(group1, group2, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iallgather
    SUBROUTINE MPI_Iallgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) BIND(C, NAME="mpi_iallgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iallgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="mpi_iallgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iallgatherv
    SUBROUTINE MPI_Iallgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, request, ierror) BIND(C, NAME="mpi_iallgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iallgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror) BIND(C, NAME="mpi_iallgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iallreduce
    SUBROUTINE MPI_Iallreduce_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror) BIND(C, NAME="mpi_iallreduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iallreduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror) BIND(C, NAME="mpi_iallreduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ialltoall
    SUBROUTINE MPI_Ialltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) BIND(C, NAME="mpi_ialltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ialltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="mpi_ialltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ialltoallv
    SUBROUTINE MPI_Ialltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="mpi_ialltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ialltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="mpi_ialltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ialltoallw
    SUBROUTINE MPI_Ialltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="mpi_ialltoallw_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ialltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="mpi_ialltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ibarrier
    SUBROUTINE MPI_Ibarrier_f08(comm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ibcast
    SUBROUTINE MPI_Ibcast_f08ts(buffer, count, datatype, root, comm, request, ierror) BIND(C, &
        NAME="mpi_ibcast_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ibcast_c_f08ts(buffer, count, datatype, root, comm, request, ierror) BIND(C, &
        NAME="mpi_ibcast_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ibsend
    SUBROUTINE MPI_Ibsend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) BIND(C, &
        NAME="mpi_ibsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ibsend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_ibsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iexscan
    SUBROUTINE MPI_Iexscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        BIND(C, NAME="mpi_iexscan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iexscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror) BIND(C, NAME="mpi_iexscan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Igather
    SUBROUTINE MPI_Igather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) BIND(C, NAME="mpi_igather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Igather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) BIND(C, NAME="mpi_igather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Igatherv
    SUBROUTINE MPI_Igatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="mpi_igatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Igatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="mpi_igatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Improbe
    SUBROUTINE MPI_Improbe_f08(source, tag, comm, flag, message, status, ierror)
      IMPORT :: MPI_Comm, MPI_Message, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Message), INTENT(OUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Imrecv
    SUBROUTINE MPI_Imrecv_f08ts(buf, count, datatype, message, request, ierror) BIND(C, &
        NAME="mpi_imrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Message, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Imrecv_c_f08ts(buf, count, datatype, message, request, ierror) BIND(C, &
        NAME="mpi_imrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Message, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ineighbor_allgather
    SUBROUTINE MPI_Ineighbor_allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="mpi_ineighbor_allgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, request, ierror) BIND(C, &
        NAME="mpi_ineighbor_allgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ineighbor_allgatherv
    SUBROUTINE MPI_Ineighbor_allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, request, ierror) BIND(C, &
        NAME="mpi_ineighbor_allgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, request, ierror) BIND(C, &
        NAME="mpi_ineighbor_allgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ineighbor_alltoall
    SUBROUTINE MPI_Ineighbor_alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="mpi_ineighbor_alltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="mpi_ineighbor_alltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ineighbor_alltoallv
    SUBROUTINE MPI_Ineighbor_alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="mpi_ineighbor_alltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="mpi_ineighbor_alltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ineighbor_alltoallw
    SUBROUTINE MPI_Ineighbor_alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="mpi_ineighbor_alltoallw_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ineighbor_alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="mpi_ineighbor_alltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_create
    SUBROUTINE MPI_Info_create_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_create_env
    SUBROUTINE MPI_Info_create_env_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_delete
    SUBROUTINE MPI_Info_delete_f08(info, key, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_dup
    SUBROUTINE MPI_Info_dup_f08(info, newinfo, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Info), INTENT(OUT) :: newinfo
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_free
    SUBROUTINE MPI_Info_free_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(INOUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_get
    SUBROUTINE MPI_Info_get_f08(info, key, valuelen, value, flag, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(IN) :: valuelen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_get_nkeys
    SUBROUTINE MPI_Info_get_nkeys_f08(info, nkeys, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: nkeys
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_get_nthkey
    SUBROUTINE MPI_Info_get_nthkey_f08(info, n, key, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      CHARACTER(LEN=*), INTENT(OUT) :: key
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_get_string
    SUBROUTINE MPI_Info_get_string_f08(info, key, buflen, value, flag, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(INOUT) :: buflen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_get_valuelen
    SUBROUTINE MPI_Info_get_valuelen_f08(info, key, valuelen, flag, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: valuelen
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Info_set
    SUBROUTINE MPI_Info_set_f08(info, key, value, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      CHARACTER(LEN=*), INTENT(IN) :: value
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Init
    SUBROUTINE MPI_Init_f08(ierror)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Init_thread
    SUBROUTINE MPI_Init_thread_f08(required, provided, ierror)
      INTEGER, INTENT(IN) :: required
      INTEGER, INTENT(OUT) :: provided
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Initialized
    SUBROUTINE MPI_Initialized_f08(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Intercomm_create
    SUBROUTINE MPI_Intercomm_create_f08(local_comm, local_leader, peer_comm, remote_leader, &
        tag, newintercomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: local_comm
      INTEGER, INTENT(IN) :: local_leader
      TYPE(MPI_Comm), INTENT(IN) :: peer_comm
      INTEGER, INTENT(IN) :: remote_leader
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(OUT) :: newintercomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Intercomm_create_from_groups
    SUBROUTINE MPI_Intercomm_create_from_groups_f08(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      IMPORT :: MPI_Group, MPI_Info, MPI_Errhandler, MPI_Comm
      TYPE(MPI_Group), INTENT(IN) :: local_group
      INTEGER, INTENT(IN) :: local_leader
      TYPE(MPI_Group), INTENT(IN) :: remote_group
      INTEGER, INTENT(IN) :: remote_leader
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      TYPE(MPI_Comm), INTENT(OUT) :: newintercomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Intercomm_merge
    SUBROUTINE MPI_Intercomm_merge_f08(intercomm, high, newintracomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: intercomm
      LOGICAL, INTENT(IN) :: high
      TYPE(MPI_Comm), INTENT(OUT) :: newintracomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iprobe
    SUBROUTINE MPI_Iprobe_f08(source, tag, comm, flag, status, ierror)
      IMPORT :: MPI_Comm, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Irecv
    SUBROUTINE MPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_irecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Irecv_c_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_irecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ireduce
    SUBROUTINE MPI_Ireduce_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror) BIND(C, NAME="mpi_ireduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ireduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror) BIND(C, NAME="mpi_ireduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ireduce_scatter
    SUBROUTINE MPI_Ireduce_scatter_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror) BIND(C, NAME="mpi_ireduce_scatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ireduce_scatter_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror) BIND(C, NAME="mpi_ireduce_scatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ireduce_scatter_block
    SUBROUTINE MPI_Ireduce_scatter_block_f08ts(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        request, ierror) BIND(C, NAME="mpi_ireduce_scatter_block_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ireduce_scatter_block_c_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, request, ierror) BIND(C, NAME="mpi_ireduce_scatter_block_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Irsend
    SUBROUTINE MPI_Irsend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) BIND(C, &
        NAME="mpi_irsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Irsend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_irsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Is_thread_main
    SUBROUTINE MPI_Is_thread_main_f08(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iscan
    SUBROUTINE MPI_Iscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        BIND(C, NAME="mpi_iscan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        BIND(C, NAME="mpi_iscan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iscatter
    SUBROUTINE MPI_Iscatter_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) BIND(C, NAME="mpi_iscatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iscatter_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) BIND(C, NAME="mpi_iscatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Iscatterv
    SUBROUTINE MPI_Iscatterv_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="mpi_iscatterv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Iscatterv_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="mpi_iscatterv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Isend
    SUBROUTINE MPI_Isend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) BIND(C, &
        NAME="mpi_isend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Isend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_isend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Isendrecv
    SUBROUTINE MPI_Isendrecv_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror) BIND(C, &
        NAME="mpi_isendrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Isendrecv_c_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror) BIND(C, &
        NAME="mpi_isendrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Isendrecv_replace
    SUBROUTINE MPI_Isendrecv_replace_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror) BIND(C, NAME="mpi_isendrecv_replace_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Isendrecv_replace_c_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror) BIND(C, NAME="mpi_isendrecv_replace_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Issend
    SUBROUTINE MPI_Issend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) BIND(C, &
        NAME="mpi_issend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Issend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_issend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Lookup_name
    SUBROUTINE MPI_Lookup_name_f08(service_name, info, port_name, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Mprobe
    SUBROUTINE MPI_Mprobe_f08(source, tag, comm, message, status, ierror)
      IMPORT :: MPI_Comm, MPI_Message, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Message), INTENT(OUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Mrecv
    SUBROUTINE MPI_Mrecv_f08ts(buf, count, datatype, message, status, ierror) BIND(C, &
        NAME="mpi_mrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Message, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Mrecv_c_f08ts(buf, count, datatype, message, status, ierror) BIND(C, &
        NAME="mpi_mrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Message, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_allgather
    SUBROUTINE MPI_Neighbor_allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="mpi_neighbor_allgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="mpi_neighbor_allgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_allgather_init
    SUBROUTINE MPI_Neighbor_allgather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_allgather_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_allgather_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_allgatherv
    SUBROUTINE MPI_Neighbor_allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror) BIND(C, NAME="mpi_neighbor_allgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, ierror) BIND(C, &
        NAME="mpi_neighbor_allgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_allgatherv_init
    SUBROUTINE MPI_Neighbor_allgatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_allgatherv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_allgatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_allgatherv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_alltoall
    SUBROUTINE MPI_Neighbor_alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="mpi_neighbor_alltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="mpi_neighbor_alltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_alltoall_init
    SUBROUTINE MPI_Neighbor_alltoall_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoall_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoall_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoall_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_alltoallv
    SUBROUTINE MPI_Neighbor_alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_alltoallv_init
    SUBROUTINE MPI_Neighbor_alltoallv_init_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallv_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_alltoallw
    SUBROUTINE MPI_Neighbor_alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallw_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Neighbor_alltoallw_init
    SUBROUTINE MPI_Neighbor_alltoallw_init_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallw_init_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Neighbor_alltoallw_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="mpi_neighbor_alltoallw_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Op_commutative
    SUBROUTINE MPI_Op_commutative_f08(op, commute, ierror)
      IMPORT :: MPI_Op
      TYPE(MPI_Op), INTENT(IN) :: op
      LOGICAL, INTENT(OUT) :: commute
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Op_create
    SUBROUTINE MPI_Op_create_f08(user_fn, commute, op, ierror)
      IMPORT :: MPI_User_function, MPI_Op
      PROCEDURE(MPI_User_function) :: user_fn
      LOGICAL, INTENT(IN) :: commute
      TYPE(MPI_Op), INTENT(OUT) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Op_create_c
    SUBROUTINE MPI_Op_create_c_f08(user_fn, commute, op, ierror)
      IMPORT :: MPI_User_function_c, MPI_Op
      PROCEDURE(MPI_User_function_c) :: user_fn
      LOGICAL, INTENT(IN) :: commute
      TYPE(MPI_Op), INTENT(OUT) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Op_free
    SUBROUTINE MPI_Op_free_f08(op, ierror)
      IMPORT :: MPI_Op
      TYPE(MPI_Op), INTENT(INOUT) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Open_port
    SUBROUTINE MPI_Open_port_f08(info, port_name, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Pack
    SUBROUTINE MPI_Pack_f08ts(inbuf, incount, datatype, outbuf, outsize, position, comm, &
        ierror) BIND(C, NAME="mpi_pack_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER, INTENT(IN) :: outsize
      INTEGER, INTENT(INOUT) :: position
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack_c_f08ts(inbuf, incount, datatype, outbuf, outsize, position, comm, &
        ierror) BIND(C, NAME="mpi_pack_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Pack_external
    SUBROUTINE MPI_Pack_external_f08ts(datarep, inbuf, incount, datatype, outbuf, outsize, &
        position, ierror) BIND(C, NAME="mpi_pack_external_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack_external_c_f08ts(datarep, inbuf, incount, datatype, outbuf, outsize, &
        position, ierror) BIND(C, NAME="mpi_pack_external_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Pack_external_size
    SUBROUTINE MPI_Pack_external_size_f08(datarep, incount, datatype, size, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack_external_size_c_f08(datarep, incount, datatype, size, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Pack_size
    SUBROUTINE MPI_Pack_size_f08(incount, datatype, comm, size, ierror)
      IMPORT :: MPI_Datatype, MPI_Comm
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Pack_size_c_f08(incount, datatype, comm, size, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Parrived
    SUBROUTINE MPI_Parrived_f08(request, partition, flag, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, INTENT(IN) :: partition
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Pready
    SUBROUTINE MPI_Pready_f08(partition, request, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: partition
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Pready_list
    SUBROUTINE MPI_Pready_list_f08(length, array_of_partitions, request, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: length
      INTEGER, INTENT(IN) :: array_of_partitions(*)
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Pready_range
    SUBROUTINE MPI_Pready_range_f08(partition_low, partition_high, request, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: partition_low
      INTEGER, INTENT(IN) :: partition_high
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Precv_init
    SUBROUTINE MPI_Precv_init_f08ts(buf, partitions, count, datatype, source, tag, comm, info, &
        request, ierror) BIND(C, NAME="mpi_precv_init_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Probe
    SUBROUTINE MPI_Probe_f08(source, tag, comm, status, ierror)
      IMPORT :: MPI_Comm, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Psend_init
    SUBROUTINE MPI_Psend_init_f08ts(buf, partitions, count, datatype, dest, tag, comm, info, &
        request, ierror) BIND(C, NAME="mpi_psend_init_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Publish_name
    SUBROUTINE MPI_Publish_name_f08(service_name, info, port_name, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Put
    SUBROUTINE MPI_Put_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, NAME="mpi_put_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Put_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, &
        NAME="mpi_put_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Query_thread
    SUBROUTINE MPI_Query_thread_f08(provided, ierror)
      INTEGER, INTENT(OUT) :: provided
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Raccumulate
    SUBROUTINE MPI_Raccumulate_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror) BIND(C, &
        NAME="mpi_raccumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Raccumulate_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror) BIND(C, &
        NAME="mpi_raccumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Recv
    SUBROUTINE MPI_Recv_f08ts(buf, count, datatype, source, tag, comm, status, ierror) BIND(C, &
        NAME="mpi_recv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Recv_c_f08ts(buf, count, datatype, source, tag, comm, status, ierror) &
        BIND(C, NAME="mpi_recv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Recv_init
    SUBROUTINE MPI_Recv_init_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_recv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Recv_init_c_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_recv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Reduce
    SUBROUTINE MPI_Reduce_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, ierror) &
        BIND(C, NAME="mpi_reduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, ierror) &
        BIND(C, NAME="mpi_reduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Reduce_init
    SUBROUTINE MPI_Reduce_init_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror) BIND(C, NAME="mpi_reduce_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror) BIND(C, NAME="mpi_reduce_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Reduce_local
    SUBROUTINE MPI_Reduce_local_f08ts(inbuf, inoutbuf, count, datatype, op, ierror) BIND(C, &
        NAME="mpi_reduce_local_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      TYPE(*), DIMENSION(..) :: inoutbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_local_c_f08ts(inbuf, inoutbuf, count, datatype, op, ierror) BIND(C, &
        NAME="mpi_reduce_local_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      TYPE(*), DIMENSION(..) :: inoutbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Reduce_scatter
    SUBROUTINE MPI_Reduce_scatter_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        ierror) BIND(C, NAME="mpi_reduce_scatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        ierror) BIND(C, NAME="mpi_reduce_scatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Reduce_scatter_block
    SUBROUTINE MPI_Reduce_scatter_block_f08ts(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        ierror) BIND(C, NAME="mpi_reduce_scatter_block_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter_block_c_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, ierror) BIND(C, NAME="mpi_reduce_scatter_block_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Reduce_scatter_block_init
    SUBROUTINE MPI_Reduce_scatter_block_init_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, info, request, ierror) BIND(C, NAME="mpi_reduce_scatter_block_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter_block_init_c_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, info, request, ierror) BIND(C, NAME="mpi_reduce_scatter_block_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Reduce_scatter_init
    SUBROUTINE MPI_Reduce_scatter_init_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        info, request, ierror) BIND(C, NAME="mpi_reduce_scatter_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Reduce_scatter_init_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, &
        comm, info, request, ierror) BIND(C, NAME="mpi_reduce_scatter_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Register_datarep
    SUBROUTINE MPI_Register_datarep_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      IMPORT :: MPI_Datarep_conversion_function, MPI_Datarep_extent_function, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      PROCEDURE(MPI_Datarep_conversion_function) :: read_conversion_fn
      PROCEDURE(MPI_Datarep_conversion_function) :: write_conversion_fn
      PROCEDURE(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Register_datarep_c
    SUBROUTINE MPI_Register_datarep_c_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      IMPORT :: MPI_Datarep_conversion_function_c, MPI_Datarep_extent_function, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      PROCEDURE(MPI_Datarep_conversion_function_c) :: read_conversion_fn
      PROCEDURE(MPI_Datarep_conversion_function_c) :: write_conversion_fn
      PROCEDURE(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Remove_error_class
    SUBROUTINE MPI_Remove_error_class_f08(errorclass, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Remove_error_code
    SUBROUTINE MPI_Remove_error_code_f08(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Remove_error_string
    SUBROUTINE MPI_Remove_error_string_f08(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Request_free
    SUBROUTINE MPI_Request_free_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(INOUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Request_get_status
    SUBROUTINE MPI_Request_get_status_f08(request, flag, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      TYPE(MPI_Request), INTENT(IN) :: request
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Request_get_status_all
    SUBROUTINE MPI_Request_get_status_all_f08(count, array_of_requests, flag, &
        array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(IN) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Request_get_status_any
    SUBROUTINE MPI_Request_get_status_any_f08(count, array_of_requests, indx, flag, status, &
        ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Request_get_status_some
    SUBROUTINE MPI_Request_get_status_some_f08(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Request), INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Rget
    SUBROUTINE MPI_Rget_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="mpi_rget_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rget_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="mpi_rget_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Rget_accumulate
    SUBROUTINE MPI_Rget_accumulate_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror) BIND(C, NAME="mpi_rget_accumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rget_accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror) BIND(C, NAME="mpi_rget_accumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Rput
    SUBROUTINE MPI_Rput_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="mpi_rput_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rput_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="mpi_rput_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Rsend
    SUBROUTINE MPI_Rsend_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_rsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rsend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_rsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Rsend_init
    SUBROUTINE MPI_Rsend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_rsend_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Rsend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_rsend_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Scan
    SUBROUTINE MPI_Scan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="mpi_scan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="mpi_scan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Scan_init
    SUBROUTINE MPI_Scan_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) BIND(C, NAME="mpi_scan_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scan_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="mpi_scan_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Scatter
    SUBROUTINE MPI_Scatter_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="mpi_scatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatter_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="mpi_scatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Scatter_init
    SUBROUTINE MPI_Scatter_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="mpi_scatter_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatter_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="mpi_scatter_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Scatterv
    SUBROUTINE MPI_Scatterv_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror) BIND(C, NAME="mpi_scatterv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatterv_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror) BIND(C, NAME="mpi_scatterv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Scatterv_init
    SUBROUTINE MPI_Scatterv_init_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="mpi_scatterv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Scatterv_init_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="mpi_scatterv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Send
    SUBROUTINE MPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_send_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Send_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_send_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Send_init
    SUBROUTINE MPI_Send_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_send_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Send_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_send_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Sendrecv
    SUBROUTINE MPI_Sendrecv_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, status, ierror) BIND(C, &
        NAME="mpi_sendrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sendrecv_c_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, status, ierror) BIND(C, &
        NAME="mpi_sendrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Sendrecv_replace
    SUBROUTINE MPI_Sendrecv_replace_f08ts(buf, count, datatype, dest, sendtag, source, recvtag, &
        comm, status, ierror) BIND(C, NAME="mpi_sendrecv_replace_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Sendrecv_replace_c_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, status, ierror) BIND(C, NAME="mpi_sendrecv_replace_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_attach_buffer
    SUBROUTINE MPI_Session_attach_buffer_f08ts(session, buffer, size, ierror) BIND(C, &
        NAME="mpi_session_attach_buffer_f08ts_")
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_attach_buffer_c_f08ts(session, buffer, size, ierror) BIND(C, &
        NAME="mpi_session_attach_buffer_c_f08ts_")
      IMPORT :: MPI_Session, MPI_COUNT_KIND
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_call_errhandler
    SUBROUTINE MPI_Session_call_errhandler_f08(session, errorcode, ierror)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: session
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_create_errhandler
    SUBROUTINE MPI_Session_create_errhandler_f08(session_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_Session_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_Session_errhandler_function) :: session_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_detach_buffer
    SUBROUTINE MPI_Session_detach_buffer_f08(session, buffer_addr, size, ierror)
      IMPORT :: MPI_Session, C_PTR
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Session_detach_buffer_c_f08(session, buffer_addr, size, ierror)
      IMPORT :: MPI_Session, C_PTR, MPI_COUNT_KIND
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_finalize
    SUBROUTINE MPI_Session_finalize_f08(session, ierror)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(INOUT) :: session
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_flush_buffer
    SUBROUTINE MPI_Session_flush_buffer_f08(session, ierror)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: session
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_get_errhandler
    SUBROUTINE MPI_Session_get_errhandler_f08(session, errhandler, ierror)
      IMPORT :: MPI_Session, MPI_Errhandler
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_get_info
    SUBROUTINE MPI_Session_get_info_f08(session, info_used, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_get_nth_pset
    SUBROUTINE MPI_Session_get_nth_pset_f08(session, info, n, pset_len, pset_name, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(INOUT) :: pset_len
      CHARACTER(LEN=*), INTENT(OUT) :: pset_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_get_num_psets
    SUBROUTINE MPI_Session_get_num_psets_f08(session, info, npset_names, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: npset_names
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_get_pset_info
    SUBROUTINE MPI_Session_get_pset_info_f08(session, pset_name, info, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_iflush_buffer
    SUBROUTINE MPI_Session_iflush_buffer_f08(session, request, ierror)
      IMPORT :: MPI_Session, MPI_Request
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_init
    SUBROUTINE MPI_Session_init_f08(info, errhandler, session, ierror)
      IMPORT :: MPI_Info, MPI_Errhandler, MPI_Session
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      TYPE(MPI_Session), INTENT(OUT) :: session
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Session_set_errhandler
    SUBROUTINE MPI_Session_set_errhandler_f08(session, errhandler, ierror)
      IMPORT :: MPI_Session, MPI_Errhandler
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ssend
    SUBROUTINE MPI_Ssend_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_ssend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ssend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="mpi_ssend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Ssend_init
    SUBROUTINE MPI_Ssend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_ssend_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Ssend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="mpi_ssend_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Start
    SUBROUTINE MPI_Start_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(INOUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Startall
    SUBROUTINE MPI_Startall_f08(count, array_of_requests, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_get_error
    SUBROUTINE MPI_Status_get_error_f08(status, error, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: error
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_get_source
    SUBROUTINE MPI_Status_get_source_f08(status, source, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: source
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_get_tag
    SUBROUTINE MPI_Status_get_tag_f08(status, tag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: tag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_set_cancelled
    SUBROUTINE MPI_Status_set_cancelled_f08(status, flag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      LOGICAL, INTENT(IN) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_set_elements
    SUBROUTINE MPI_Status_set_elements_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype
      TYPE(MPI_Status), INTENT(INOUT) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Status_set_elements_c_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(INOUT) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_set_elements_x
    SUBROUTINE MPI_Status_set_elements_x_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(INOUT) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_set_error
    SUBROUTINE MPI_Status_set_error_f08(status, error, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: error
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_set_source
    SUBROUTINE MPI_Status_set_source_f08(status, source, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: source
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Status_set_tag
    SUBROUTINE MPI_Status_set_tag_f08(status, tag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: tag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Test
    SUBROUTINE MPI_Test_f08(request, flag, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      TYPE(MPI_Request), INTENT(INOUT) :: request
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Test_cancelled
    SUBROUTINE MPI_Test_cancelled_f08(status, flag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Testall
    SUBROUTINE MPI_Testall_f08(count, array_of_requests, flag, array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Testany
    SUBROUTINE MPI_Testany_f08(count, array_of_requests, indx, flag, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Testsome
    SUBROUTINE MPI_Testsome_f08(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Topo_test
    SUBROUTINE MPI_Topo_test_f08(comm, status, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_commit
    SUBROUTINE MPI_Type_commit_f08(datatype, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(INOUT) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_contiguous
    SUBROUTINE MPI_Type_contiguous_f08(count, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_contiguous_c_f08(count, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_darray
    SUBROUTINE MPI_Type_create_darray_f08(size, rank, ndims, array_of_gsizes, &
        array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_gsizes(*)
      INTEGER, INTENT(IN) :: array_of_distribs(*)
      INTEGER, INTENT(IN) :: array_of_dargs(*)
      INTEGER, INTENT(IN) :: array_of_psizes(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_darray_c_f08(size, rank, ndims, array_of_gsizes, &
        array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: ndims
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_gsizes(*)
      INTEGER, INTENT(IN) :: array_of_distribs(*)
      INTEGER, INTENT(IN) :: array_of_dargs(*)
      INTEGER, INTENT(IN) :: array_of_psizes(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_f90_complex
    SUBROUTINE MPI_Type_create_f90_complex_f08(p, r, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_f90_integer
    SUBROUTINE MPI_Type_create_f90_integer_f08(r, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: r
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_f90_real
    SUBROUTINE MPI_Type_create_f90_real_f08(p, r, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_hindexed
    SUBROUTINE MPI_Type_create_hindexed_f08(count, array_of_blocklengths, &
        array_of_displacements, oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_hindexed_c_f08(count, array_of_blocklengths, &
        array_of_displacements, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_hindexed_block
    SUBROUTINE MPI_Type_create_hindexed_block_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_hindexed_block_c_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_hvector
    SUBROUTINE MPI_Type_create_hvector_f08(count, blocklength, stride, oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_hvector_c_f08(count, blocklength, stride, oldtype, newtype, &
        ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_indexed_block
    SUBROUTINE MPI_Type_create_indexed_block_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_indexed_block_c_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_keyval
    SUBROUTINE MPI_Type_create_keyval_f08(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_Type_copy_attr_function, MPI_Type_delete_attr_function, MPI_ADDRESS_KIND
      PROCEDURE(MPI_Type_copy_attr_function) :: type_copy_attr_fn
      PROCEDURE(MPI_Type_delete_attr_function) :: type_delete_attr_fn
      INTEGER, INTENT(OUT) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_resized
    SUBROUTINE MPI_Type_create_resized_f08(oldtype, lb, extent, newtype, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extent
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_struct
    SUBROUTINE MPI_Type_create_struct_f08(count, array_of_blocklengths, array_of_displacements, &
        array_of_types, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: array_of_types(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_struct_c_f08(count, array_of_blocklengths, &
        array_of_displacements, array_of_types, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: array_of_types(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_create_subarray
    SUBROUTINE MPI_Type_create_subarray_f08(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_sizes(*)
      INTEGER, INTENT(IN) :: array_of_subsizes(*)
      INTEGER, INTENT(IN) :: array_of_starts(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_create_subarray_c_f08(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: ndims
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_sizes(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_subsizes(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_starts(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_delete_attr
    SUBROUTINE MPI_Type_delete_attr_f08(datatype, type_keyval, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_dup
    SUBROUTINE MPI_Type_dup_f08(oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_free
    SUBROUTINE MPI_Type_free_f08(datatype, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(INOUT) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_free_keyval
    SUBROUTINE MPI_Type_free_keyval_f08(type_keyval, ierror)
      INTEGER, INTENT(INOUT) :: type_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_attr
    SUBROUTINE MPI_Type_get_attr_f08(datatype, type_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_contents
    SUBROUTINE MPI_Type_get_contents_f08(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: max_integers
      INTEGER, INTENT(IN) :: max_addresses
      INTEGER, INTENT(IN) :: max_datatypes
      INTEGER, INTENT(OUT) :: array_of_integers(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: array_of_addresses(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: array_of_datatypes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_contents_c_f08(datatype, max_integers, max_addresses, &
        max_large_counts, max_datatypes, array_of_integers, array_of_addresses, &
        array_of_large_counts, array_of_datatypes, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_integers
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_addresses
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_large_counts
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_datatypes
      INTEGER, INTENT(OUT) :: array_of_integers(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: array_of_addresses(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: array_of_large_counts(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: array_of_datatypes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_envelope
    SUBROUTINE MPI_Type_get_envelope_f08(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: num_integers
      INTEGER, INTENT(OUT) :: num_addresses
      INTEGER, INTENT(OUT) :: num_datatypes
      INTEGER, INTENT(OUT) :: combiner
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_get_envelope_c_f08(datatype, num_integers, num_addresses, &
        num_large_counts, num_datatypes, combiner, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_integers
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_addresses
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_large_counts
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_datatypes
      INTEGER, INTENT(OUT) :: combiner
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_extent
    SUBROUTINE MPI_Type_get_extent_f08(datatype, lb, extent, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_extent_x
    SUBROUTINE MPI_Type_get_extent_x_f08(datatype, lb, extent, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_name
    SUBROUTINE MPI_Type_get_name_f08(datatype, type_name, resultlen, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(OUT) :: type_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_true_extent
    SUBROUTINE MPI_Type_get_true_extent_f08(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_true_extent_x
    SUBROUTINE MPI_Type_get_true_extent_x_f08(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_get_value_index
    SUBROUTINE MPI_Type_get_value_index_f08(value_type, index_type, pair_type, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: value_type
      TYPE(MPI_Datatype), INTENT(IN) :: index_type
      TYPE(MPI_Datatype), INTENT(OUT) :: pair_type
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_indexed
    SUBROUTINE MPI_Type_indexed_f08(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_indexed_c_f08(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_match_size
    SUBROUTINE MPI_Type_match_size_f08(typeclass, size, datatype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: typeclass
      INTEGER, INTENT(IN) :: size
      TYPE(MPI_Datatype), INTENT(OUT) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_set_attr
    SUBROUTINE MPI_Type_set_attr_f08(datatype, type_keyval, attribute_val, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_set_name
    SUBROUTINE MPI_Type_set_name_f08(datatype, type_name, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(IN) :: type_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_size
    SUBROUTINE MPI_Type_size_f08(datatype, size, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_size_c_f08(datatype, size, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_size_x
    SUBROUTINE MPI_Type_size_x_f08(datatype, size, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Type_vector
    SUBROUTINE MPI_Type_vector_f08(count, blocklength, stride, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Type_vector_c_f08(count, blocklength, stride, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Unpack
    SUBROUTINE MPI_Unpack_f08ts(inbuf, insize, position, outbuf, outcount, datatype, comm, &
        ierror) BIND(C, NAME="mpi_unpack_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: insize
      INTEGER, INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Unpack_c_f08ts(inbuf, insize, position, outbuf, outcount, datatype, comm, &
        ierror) BIND(C, NAME="mpi_unpack_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Unpack_external
    SUBROUTINE MPI_Unpack_external_f08ts(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror) BIND(C, NAME="mpi_unpack_external_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Unpack_external_c_f08ts(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror) BIND(C, NAME="mpi_unpack_external_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Unpublish_name
    SUBROUTINE MPI_Unpublish_name_f08(service_name, info, port_name, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Wait
    SUBROUTINE MPI_Wait_f08(request, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      TYPE(MPI_Request), INTENT(INOUT) :: request
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Waitall
    SUBROUTINE MPI_Waitall_f08(count, array_of_requests, array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Waitany
    SUBROUTINE MPI_Waitany_f08(count, array_of_requests, indx, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Waitsome
    SUBROUTINE MPI_Waitsome_f08(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_allocate
    SUBROUTINE MPI_Win_allocate_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_allocate_c_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_allocate_shared
    SUBROUTINE MPI_Win_allocate_shared_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_allocate_shared_c_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_attach
    SUBROUTINE MPI_Win_attach_f08ts(win, base, size, ierror) BIND(C, &
        NAME="mpi_win_attach_f08ts_")
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_call_errhandler
    SUBROUTINE MPI_Win_call_errhandler_f08(win, errorcode, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_complete
    SUBROUTINE MPI_Win_complete_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_create
    SUBROUTINE MPI_Win_create_f08ts(base, size, disp_unit, info, comm, win, ierror) BIND(C, &
        NAME="mpi_win_create_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_create_c_f08ts(base, size, disp_unit, info, comm, win, ierror) BIND(C, &
        NAME="mpi_win_create_c_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_create_dynamic
    SUBROUTINE MPI_Win_create_dynamic_f08(info, comm, win, ierror)
      IMPORT :: MPI_Info, MPI_Comm, MPI_Win
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_create_errhandler
    SUBROUTINE MPI_Win_create_errhandler_f08(win_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_Win_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_Win_errhandler_function) :: win_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_create_keyval
    SUBROUTINE MPI_Win_create_keyval_f08(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_Win_copy_attr_function, MPI_Win_delete_attr_function, MPI_ADDRESS_KIND
      PROCEDURE(MPI_Win_copy_attr_function) :: win_copy_attr_fn
      PROCEDURE(MPI_Win_delete_attr_function) :: win_delete_attr_fn
      INTEGER, INTENT(OUT) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_delete_attr
    SUBROUTINE MPI_Win_delete_attr_f08(win, win_keyval, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_detach
    SUBROUTINE MPI_Win_detach_f08ts(win, base, ierror) BIND(C, NAME="mpi_win_detach_f08ts_")
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_fence
    SUBROUTINE MPI_Win_fence_f08(assert, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_flush
    SUBROUTINE MPI_Win_flush_f08(rank, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: rank
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_flush_all
    SUBROUTINE MPI_Win_flush_all_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_flush_local
    SUBROUTINE MPI_Win_flush_local_f08(rank, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: rank
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_flush_local_all
    SUBROUTINE MPI_Win_flush_local_all_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_free
    SUBROUTINE MPI_Win_free_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(INOUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_free_keyval
    SUBROUTINE MPI_Win_free_keyval_f08(win_keyval, ierror)
      INTEGER, INTENT(INOUT) :: win_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_get_attr
    SUBROUTINE MPI_Win_get_attr_f08(win, win_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_get_errhandler
    SUBROUTINE MPI_Win_get_errhandler_f08(win, errhandler, ierror)
      IMPORT :: MPI_Win, MPI_Errhandler
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_get_group
    SUBROUTINE MPI_Win_get_group_f08(win, group, ierror)
      IMPORT :: MPI_Win, MPI_Group
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_get_info
    SUBROUTINE MPI_Win_get_info_f08(win, info_used, ierror)
      IMPORT :: MPI_Win, MPI_Info
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_get_name
    SUBROUTINE MPI_Win_get_name_f08(win, win_name, resultlen, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(OUT) :: win_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_lock
    SUBROUTINE MPI_Win_lock_f08(lock_type, rank, assert, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: lock_type
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_lock_all
    SUBROUTINE MPI_Win_lock_all_f08(assert, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_post
    SUBROUTINE MPI_Win_post_f08(group, assert, win, ierror)
      IMPORT :: MPI_Group, MPI_Win
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_set_attr
    SUBROUTINE MPI_Win_set_attr_f08(win, win_keyval, attribute_val, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_set_errhandler
    SUBROUTINE MPI_Win_set_errhandler_f08(win, errhandler, ierror)
      IMPORT :: MPI_Win, MPI_Errhandler
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_set_info
    SUBROUTINE MPI_Win_set_info_f08(win, info, ierror)
      IMPORT :: MPI_Win, MPI_Info
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_set_name
    SUBROUTINE MPI_Win_set_name_f08(win, win_name, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(IN) :: win_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_shared_query
    SUBROUTINE MPI_Win_shared_query_f08(win, rank, size, disp_unit, baseptr, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND, C_PTR
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: disp_unit
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE MPI_Win_shared_query_c_f08(win, rank, size, disp_unit, baseptr, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND, C_PTR
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: disp_unit
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_start
    SUBROUTINE MPI_Win_start_f08(group, assert, win, ierror)
      IMPORT :: MPI_Group, MPI_Win
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_sync
    SUBROUTINE MPI_Win_sync_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_test
    SUBROUTINE MPI_Win_test_f08(win, flag, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_unlock
    SUBROUTINE MPI_Win_unlock_f08(rank, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: rank
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_unlock_all
    SUBROUTINE MPI_Win_unlock_all_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE MPI_Win_wait
    SUBROUTINE MPI_Win_wait_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_ack_failed
    SUBROUTINE PMPIX_Comm_ack_failed_f08(comm, num_to_ack, num_acked, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: num_to_ack
      INTEGER, INTENT(OUT) :: num_acked
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_agree
    SUBROUTINE PMPIX_Comm_agree_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_failure_ack
    SUBROUTINE PMPIX_Comm_failure_ack_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_failure_get_acked
    SUBROUTINE PMPIX_Comm_failure_get_acked_f08(comm, failedgrp, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: failedgrp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_get_failed
    SUBROUTINE PMPIX_Comm_get_failed_f08(comm, failedgrp, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: failedgrp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_iagree
    SUBROUTINE PMPIX_Comm_iagree_f08(comm, flag, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT), ASYNCHRONOUS, TARGET :: flag
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_is_revoked
    SUBROUTINE PMPIX_Comm_is_revoked_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_ishrink
    SUBROUTINE PMPIX_Comm_ishrink_f08(comm, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_revoke
    SUBROUTINE PMPIX_Comm_revoke_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPIX_Comm_shrink
    SUBROUTINE PMPIX_Comm_shrink_f08(comm, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Abi_get_fortran_booleans
    SUBROUTINE PMPI_Abi_get_fortran_booleans_f08(logical_size, logical_true, logical_false, &
        is_set, ierror)
      INTEGER, INTENT(IN) :: logical_size
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_true
      !DIR$ IGNORE_TKR logical_true
      TYPE(*), DIMENSION(*) :: logical_true
      !GCC$ ATTRIBUTES NO_ARG_CHECK :: logical_false
      !DIR$ IGNORE_TKR logical_false
      TYPE(*), DIMENSION(*) :: logical_false
      LOGICAL, INTENT(OUT) :: is_set
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Abi_get_fortran_info
    SUBROUTINE PMPI_Abi_get_fortran_info_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Abi_get_info
    SUBROUTINE PMPI_Abi_get_info_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Abi_get_version
    SUBROUTINE PMPI_Abi_get_version_f08(abi_major, abi_minor, ierror)
      INTEGER, INTENT(OUT) :: abi_major
      INTEGER, INTENT(OUT) :: abi_minor
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Abi_set_fortran_booleans
    SUBROUTINE PMPI_Abi_set_fortran_booleans_f08ts(logical_size, logical_true, logical_false, &
        ierror) BIND(C, NAME="pmpi_abi_set_fortran_booleans_f08ts_")
      INTEGER, INTENT(IN) :: logical_size
      TYPE(*), DIMENSION(..) :: logical_true
      TYPE(*), DIMENSION(..) :: logical_false
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Abi_set_fortran_info
    SUBROUTINE PMPI_Abi_set_fortran_info_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Abort
    SUBROUTINE PMPI_Abort_f08(comm, errorcode, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Accumulate
    SUBROUTINE PMPI_Accumulate_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) BIND(C, &
        NAME="pmpi_accumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, ierror) BIND(C, &
        NAME="pmpi_accumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Add_error_class
    SUBROUTINE PMPI_Add_error_class_f08(errorclass, ierror)
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Add_error_code
    SUBROUTINE PMPI_Add_error_code_f08(errorclass, errorcode, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, INTENT(OUT) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Add_error_string
    SUBROUTINE PMPI_Add_error_string_f08(errorcode, string, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(IN) :: string
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Allgather
    SUBROUTINE PMPI_Allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror) BIND(C, NAME="pmpi_allgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="pmpi_allgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Allgather_init
    SUBROUTINE PMPI_Allgather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="pmpi_allgather_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allgather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="pmpi_allgather_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Allgatherv
    SUBROUTINE PMPI_Allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, comm, ierror) BIND(C, NAME="pmpi_allgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, ierror) BIND(C, NAME="pmpi_allgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Allgatherv_init
    SUBROUTINE PMPI_Allgatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_allgatherv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allgatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_allgatherv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alloc_mem
    SUBROUTINE PMPI_Alloc_mem_f08(size, info, baseptr, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, C_PTR
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Allreduce
    SUBROUTINE PMPI_Allreduce_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) &
        BIND(C, NAME="pmpi_allreduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allreduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) &
        BIND(C, NAME="pmpi_allreduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Allreduce_init
    SUBROUTINE PMPI_Allreduce_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_allreduce_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Allreduce_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_allreduce_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alltoall
    SUBROUTINE PMPI_Alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, ierror) BIND(C, NAME="pmpi_alltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="pmpi_alltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alltoall_init
    SUBROUTINE PMPI_Alltoall_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="pmpi_alltoall_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoall_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, info, request, ierror) BIND(C, NAME="pmpi_alltoall_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alltoallv
    SUBROUTINE PMPI_Alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror) BIND(C, NAME="pmpi_alltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror) BIND(C, NAME="pmpi_alltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alltoallv_init
    SUBROUTINE PMPI_Alltoallv_init_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_alltoallv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallv_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_alltoallv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alltoallw
    SUBROUTINE PMPI_Alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, NAME="pmpi_alltoallw_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, NAME="pmpi_alltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Alltoallw_init
    SUBROUTINE PMPI_Alltoallw_init_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_alltoallw_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Alltoallw_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_alltoallw_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Barrier
    SUBROUTINE PMPI_Barrier_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Barrier_init
    SUBROUTINE PMPI_Barrier_init_f08(comm, info, request, ierror)
      IMPORT :: MPI_Comm, MPI_Info, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Bcast
    SUBROUTINE PMPI_Bcast_f08ts(buffer, count, datatype, root, comm, ierror) BIND(C, &
        NAME="pmpi_bcast_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..) :: buffer
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bcast_c_f08ts(buffer, count, datatype, root, comm, ierror) BIND(C, &
        NAME="pmpi_bcast_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..) :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Bcast_init
    SUBROUTINE PMPI_Bcast_init_f08ts(buffer, count, datatype, root, comm, info, request, &
        ierror) BIND(C, NAME="pmpi_bcast_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bcast_init_c_f08ts(buffer, count, datatype, root, comm, info, request, &
        ierror) BIND(C, NAME="pmpi_bcast_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Bsend
    SUBROUTINE PMPI_Bsend_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_bsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bsend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_bsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Bsend_init
    SUBROUTINE PMPI_Bsend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_bsend_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Bsend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_bsend_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Buffer_attach
    SUBROUTINE PMPI_Buffer_attach_f08ts(buffer, size, ierror) BIND(C, &
        NAME="pmpi_buffer_attach_f08ts_")
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Buffer_attach_c_f08ts(buffer, size, ierror) BIND(C, &
        NAME="pmpi_buffer_attach_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Buffer_detach
    SUBROUTINE PMPI_Buffer_detach_f08(buffer_addr, size, ierror)
      IMPORT :: C_PTR
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Buffer_detach_c_f08(buffer_addr, size, ierror)
      IMPORT :: C_PTR, MPI_COUNT_KIND
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Buffer_flush
    SUBROUTINE PMPI_Buffer_flush_f08(ierror)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Buffer_iflush
    SUBROUTINE PMPI_Buffer_iflush_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cancel
    SUBROUTINE PMPI_Cancel_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cart_coords
    SUBROUTINE PMPI_Cart_coords_f08(comm, rank, maxdims, coords, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cart_create
    SUBROUTINE PMPI_Cart_create_f08(comm_old, ndims, dims, periods, reorder, comm_cart, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_cart
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cart_get
    SUBROUTINE PMPI_Cart_get_f08(comm, maxdims, dims, periods, coords, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxdims
      INTEGER, INTENT(OUT) :: dims(*)
      LOGICAL, INTENT(OUT) :: periods(*)
      INTEGER, INTENT(OUT) :: coords(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cart_map
    SUBROUTINE PMPI_Cart_map_f08(comm, ndims, dims, periods, newrank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: dims(*)
      LOGICAL, INTENT(IN) :: periods(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cart_rank
    SUBROUTINE PMPI_Cart_rank_f08(comm, coords, rank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: coords(*)
      INTEGER, INTENT(OUT) :: rank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cart_shift
    SUBROUTINE PMPI_Cart_shift_f08(comm, direction, disp, rank_source, rank_dest, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: direction
      INTEGER, INTENT(IN) :: disp
      INTEGER, INTENT(OUT) :: rank_source
      INTEGER, INTENT(OUT) :: rank_dest
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cart_sub
    SUBROUTINE PMPI_Cart_sub_f08(comm, remain_dims, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(IN) :: remain_dims(*)
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Cartdim_get
    SUBROUTINE PMPI_Cartdim_get_f08(comm, ndims, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: ndims
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Close_port
    SUBROUTINE PMPI_Close_port_f08(port_name, ierror)
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_accept
    SUBROUTINE PMPI_Comm_accept_f08(port_name, info, root, comm, newcomm, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_ack_failed
    SUBROUTINE PMPI_Comm_ack_failed_f08(comm, num_to_ack, num_acked, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: num_to_ack
      INTEGER, INTENT(OUT) :: num_acked
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_agree
    SUBROUTINE PMPI_Comm_agree_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_attach_buffer
    SUBROUTINE PMPI_Comm_attach_buffer_f08ts(comm, buffer, size, ierror) BIND(C, &
        NAME="pmpi_comm_attach_buffer_f08ts_")
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_attach_buffer_c_f08ts(comm, buffer, size, ierror) BIND(C, &
        NAME="pmpi_comm_attach_buffer_c_f08ts_")
      IMPORT :: MPI_Comm, MPI_COUNT_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_call_errhandler
    SUBROUTINE PMPI_Comm_call_errhandler_f08(comm, errorcode, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_compare
    SUBROUTINE PMPI_Comm_compare_f08(comm1, comm2, result, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm1
      TYPE(MPI_Comm), INTENT(IN) :: comm2
      INTEGER, INTENT(OUT) :: result
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_connect
    SUBROUTINE PMPI_Comm_connect_f08(port_name, info, root, comm, newcomm, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_create
    SUBROUTINE PMPI_Comm_create_f08(comm, group, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(IN) :: group
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_create_errhandler
    SUBROUTINE PMPI_Comm_create_errhandler_f08(comm_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_Comm_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_Comm_errhandler_function) :: comm_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_create_from_group
    SUBROUTINE PMPI_Comm_create_from_group_f08(group, stringtag, info, errhandler, newcomm, &
        ierror)
      IMPORT :: MPI_Group, MPI_Info, MPI_Errhandler, MPI_Comm
      TYPE(MPI_Group), INTENT(IN) :: group
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_create_group
    SUBROUTINE PMPI_Comm_create_group_f08(comm, group, tag, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_create_keyval
    SUBROUTINE PMPI_Comm_create_keyval_f08(comm_copy_attr_fn, comm_delete_attr_fn, comm_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_Comm_copy_attr_function, MPI_Comm_delete_attr_function, MPI_ADDRESS_KIND
      PROCEDURE(MPI_Comm_copy_attr_function) :: comm_copy_attr_fn
      PROCEDURE(MPI_Comm_delete_attr_function) :: comm_delete_attr_fn
      INTEGER, INTENT(OUT) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_delete_attr
    SUBROUTINE PMPI_Comm_delete_attr_f08(comm, comm_keyval, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_detach_buffer
    SUBROUTINE PMPI_Comm_detach_buffer_f08(comm, buffer_addr, size, ierror)
      IMPORT :: MPI_Comm, C_PTR
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Comm_detach_buffer_c_f08(comm, buffer_addr, size, ierror)
      IMPORT :: MPI_Comm, C_PTR, MPI_COUNT_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_disconnect
    SUBROUTINE PMPI_Comm_disconnect_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(INOUT) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_dup
    SUBROUTINE PMPI_Comm_dup_f08(comm, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_dup_with_info
    SUBROUTINE PMPI_Comm_dup_with_info_f08(comm, info, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_flush_buffer
    SUBROUTINE PMPI_Comm_flush_buffer_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_free
    SUBROUTINE PMPI_Comm_free_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(INOUT) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_free_keyval
    SUBROUTINE PMPI_Comm_free_keyval_f08(comm_keyval, ierror)
      INTEGER, INTENT(INOUT) :: comm_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_get_attr
    SUBROUTINE PMPI_Comm_get_attr_f08(comm, comm_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_Comm, MPI_ADDRESS_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_get_errhandler
    SUBROUTINE PMPI_Comm_get_errhandler_f08(comm, errhandler, ierror)
      IMPORT :: MPI_Comm, MPI_Errhandler
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_get_failed
    SUBROUTINE PMPI_Comm_get_failed_f08(comm, failedgrp, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: failedgrp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_get_info
    SUBROUTINE PMPI_Comm_get_info_f08(comm, info_used, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_get_name
    SUBROUTINE PMPI_Comm_get_name_f08(comm, comm_name, resultlen, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(OUT) :: comm_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_get_parent
    SUBROUTINE PMPI_Comm_get_parent_f08(parent, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(OUT) :: parent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_group
    SUBROUTINE PMPI_Comm_group_f08(comm, group, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_iagree
    SUBROUTINE PMPI_Comm_iagree_f08(comm, flag, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(INOUT), ASYNCHRONOUS, TARGET :: flag
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_idup
    SUBROUTINE PMPI_Comm_idup_f08(comm, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_idup_with_info
    SUBROUTINE PMPI_Comm_idup_with_info_f08(comm, info, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Info, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_iflush_buffer
    SUBROUTINE PMPI_Comm_iflush_buffer_f08(comm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_is_revoked
    SUBROUTINE PMPI_Comm_is_revoked_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_ishrink
    SUBROUTINE PMPI_Comm_ishrink_f08(comm, newcomm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_join
    SUBROUTINE PMPI_Comm_join_f08(fd, intercomm, ierror)
      IMPORT :: MPI_Comm
      INTEGER, INTENT(IN) :: fd
      TYPE(MPI_Comm), INTENT(OUT) :: intercomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_rank
    SUBROUTINE PMPI_Comm_rank_f08(comm, rank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: rank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_remote_group
    SUBROUTINE PMPI_Comm_remote_group_f08(comm, group, ierror)
      IMPORT :: MPI_Comm, MPI_Group
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_remote_size
    SUBROUTINE PMPI_Comm_remote_size_f08(comm, size, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_revoke
    SUBROUTINE PMPI_Comm_revoke_f08(comm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_set_attr
    SUBROUTINE PMPI_Comm_set_attr_f08(comm, comm_keyval, attribute_val, ierror)
      IMPORT :: MPI_Comm, MPI_ADDRESS_KIND
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: comm_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_set_errhandler
    SUBROUTINE PMPI_Comm_set_errhandler_f08(comm, errhandler, ierror)
      IMPORT :: MPI_Comm, MPI_Errhandler
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_set_info
    SUBROUTINE PMPI_Comm_set_info_f08(comm, info, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_set_name
    SUBROUTINE PMPI_Comm_set_name_f08(comm, comm_name, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: comm_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_shrink
    SUBROUTINE PMPI_Comm_shrink_f08(comm, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_size
    SUBROUTINE PMPI_Comm_size_f08(comm, size, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_spawn
    SUBROUTINE PMPI_Comm_spawn_f08(command, argv, maxprocs, info, root, comm, intercomm, &
        array_of_errcodes, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      CHARACTER(LEN=*), INTENT(IN) :: command
      CHARACTER(LEN=*), INTENT(IN) :: argv(*)
      INTEGER, INTENT(IN) :: maxprocs
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_spawn_multiple
    SUBROUTINE PMPI_Comm_spawn_multiple_f08(count, array_of_commands, array_of_argv, &
        array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes, ierror)
      IMPORT :: MPI_Info, MPI_Comm
      INTEGER, INTENT(IN) :: count
      CHARACTER(LEN=*), INTENT(IN) :: array_of_commands(*)
      CHARACTER(LEN=*), INTENT(IN) :: array_of_argv(count,*)
      INTEGER, INTENT(IN) :: array_of_maxprocs(*)
      TYPE(MPI_Info), INTENT(IN) :: array_of_info(*)
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Comm), INTENT(OUT) :: intercomm
      INTEGER, INTENT(OUT) :: array_of_errcodes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_split
    SUBROUTINE PMPI_Comm_split_f08(comm, color, key, newcomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: color
      INTEGER, INTENT(IN) :: key
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_split_type
    SUBROUTINE PMPI_Comm_split_type_f08(comm, split_type, key, info, newcomm, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: split_type
      INTEGER, INTENT(IN) :: key
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(OUT) :: newcomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Comm_test_inter
    SUBROUTINE PMPI_Comm_test_inter_f08(comm, flag, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Compare_and_swap
    SUBROUTINE PMPI_Compare_and_swap_f08ts(origin_addr, compare_addr, result_addr, datatype, &
        target_rank, target_disp, win, ierror) BIND(C, NAME="pmpi_compare_and_swap_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: compare_addr
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Dims_create
    SUBROUTINE PMPI_Dims_create_f08(nnodes, ndims, dims, ierror)
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(INOUT) :: dims(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Dist_graph_create
    SUBROUTINE PMPI_Dist_graph_create_f08(comm_old, n, sources, degrees, destinations, weights, &
        info, reorder, comm_dist_graph, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: degrees(*)
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: weights(*)
      TYPE(MPI_Info), INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_dist_graph
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Dist_graph_create_adjacent
    SUBROUTINE PMPI_Dist_graph_create_adjacent_f08(comm_old, indegree, sources, sourceweights, &
        outdegree, destinations, destweights, info, reorder, comm_dist_graph, ierror)
      IMPORT :: MPI_Comm, MPI_Info
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: indegree
      INTEGER, INTENT(IN) :: sources(*)
      INTEGER, INTENT(IN) :: sourceweights(*)
      INTEGER, INTENT(IN) :: outdegree
      INTEGER, INTENT(IN) :: destinations(*)
      INTEGER, INTENT(IN) :: destweights(*)
      TYPE(MPI_Info), INTENT(IN) :: info
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_dist_graph
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Dist_graph_neighbors
    SUBROUTINE PMPI_Dist_graph_neighbors_f08(comm, maxindegree, sources, sourceweights, &
        maxoutdegree, destinations, destweights, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindegree
      INTEGER, INTENT(OUT) :: sources(*)
      INTEGER :: sourceweights(*)
      INTEGER, INTENT(IN) :: maxoutdegree
      INTEGER, INTENT(OUT) :: destinations(*)
      INTEGER :: destweights(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Dist_graph_neighbors_count
    SUBROUTINE PMPI_Dist_graph_neighbors_count_f08(comm, indegree, outdegree, weighted, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: indegree
      INTEGER, INTENT(OUT) :: outdegree
      LOGICAL, INTENT(OUT) :: weighted
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Errhandler_free
    SUBROUTINE PMPI_Errhandler_free_f08(errhandler, ierror)
      IMPORT :: MPI_Errhandler
      TYPE(MPI_Errhandler), INTENT(INOUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Error_class
    SUBROUTINE PMPI_Error_class_f08(errorcode, errorclass, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, INTENT(OUT) :: errorclass
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Error_string
    SUBROUTINE PMPI_Error_string_f08(errorcode, string, resultlen, ierror)
      INTEGER, INTENT(IN) :: errorcode
      CHARACTER(LEN=*), INTENT(OUT) :: string
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Exscan
    SUBROUTINE PMPI_Exscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="pmpi_exscan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Exscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="pmpi_exscan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Exscan_init
    SUBROUTINE PMPI_Exscan_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_exscan_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Exscan_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_exscan_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Fetch_and_op
    SUBROUTINE PMPI_Fetch_and_op_f08ts(origin_addr, result_addr, datatype, target_rank, &
        target_disp, op, win, ierror) BIND(C, NAME="pmpi_fetch_and_op_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_call_errhandler
    SUBROUTINE PMPI_File_call_errhandler_f08(fh, errorcode, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_close
    SUBROUTINE PMPI_File_close_f08(fh, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(INOUT) :: fh
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_create_errhandler
    SUBROUTINE PMPI_File_create_errhandler_f08(file_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_File_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_File_errhandler_function) :: file_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_delete
    SUBROUTINE PMPI_File_delete_f08(filename, info, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: filename
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_amode
    SUBROUTINE PMPI_File_get_amode_f08(fh, amode, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER, INTENT(OUT) :: amode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_atomicity
    SUBROUTINE PMPI_File_get_atomicity_f08(fh, flag, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_byte_offset
    SUBROUTINE PMPI_File_get_byte_offset_f08(fh, offset, disp, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_errhandler
    SUBROUTINE PMPI_File_get_errhandler_f08(file, errhandler, ierror)
      IMPORT :: MPI_File, MPI_Errhandler
      TYPE(MPI_File), INTENT(IN) :: file
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_group
    SUBROUTINE PMPI_File_get_group_f08(fh, group, ierror)
      IMPORT :: MPI_File, MPI_Group
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_info
    SUBROUTINE PMPI_File_get_info_f08(fh, info_used, ierror)
      IMPORT :: MPI_File, MPI_Info
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_position
    SUBROUTINE PMPI_File_get_position_f08(fh, offset, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_position_shared
    SUBROUTINE PMPI_File_get_position_shared_f08(fh, offset, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: offset
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_size
    SUBROUTINE PMPI_File_get_size_f08(fh, size, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_type_extent
    SUBROUTINE PMPI_File_get_type_extent_f08(fh, datatype, extent, ierror)
      IMPORT :: MPI_File, MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_get_view
    SUBROUTINE PMPI_File_get_view_f08(fh, disp, etype, filetype, datarep, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(OUT) :: disp
      TYPE(MPI_Datatype), INTENT(OUT) :: etype
      TYPE(MPI_Datatype), INTENT(OUT) :: filetype
      CHARACTER(LEN=*), INTENT(OUT) :: datarep
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iread
    SUBROUTINE PMPI_File_iread_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iread_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iread_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iread_all
    SUBROUTINE PMPI_File_iread_all_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iread_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_all_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iread_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iread_at
    SUBROUTINE PMPI_File_iread_at_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iread_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_at_c_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iread_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iread_at_all
    SUBROUTINE PMPI_File_iread_at_all_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iread_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_at_all_c_f08ts(fh, offset, buf, count, datatype, request, &
        ierror) BIND(C, NAME="pmpi_file_iread_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iread_shared
    SUBROUTINE PMPI_File_iread_shared_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iread_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iread_shared_c_f08ts(fh, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iread_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iwrite
    SUBROUTINE PMPI_File_iwrite_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iwrite_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iwrite_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iwrite_all
    SUBROUTINE PMPI_File_iwrite_all_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iwrite_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_all_c_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iwrite_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iwrite_at
    SUBROUTINE PMPI_File_iwrite_at_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iwrite_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_at_c_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iwrite_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iwrite_at_all
    SUBROUTINE PMPI_File_iwrite_at_all_f08ts(fh, offset, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iwrite_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_at_all_c_f08ts(fh, offset, buf, count, datatype, request, &
        ierror) BIND(C, NAME="pmpi_file_iwrite_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_iwrite_shared
    SUBROUTINE PMPI_File_iwrite_shared_f08ts(fh, buf, count, datatype, request, ierror) BIND(C, &
        NAME="pmpi_file_iwrite_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_iwrite_shared_c_f08ts(fh, buf, count, datatype, request, ierror) &
        BIND(C, NAME="pmpi_file_iwrite_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Request
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_open
    SUBROUTINE PMPI_File_open_f08(comm, filename, amode, info, fh, ierror)
      IMPORT :: MPI_Comm, MPI_Info, MPI_File
      TYPE(MPI_Comm), INTENT(IN) :: comm
      CHARACTER(LEN=*), INTENT(IN) :: filename
      INTEGER, INTENT(IN) :: amode
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_File), INTENT(OUT) :: fh
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_preallocate
    SUBROUTINE PMPI_File_preallocate_f08(fh, size, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read
    SUBROUTINE PMPI_File_read_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_all
    SUBROUTINE PMPI_File_read_all_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_all_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_all_begin
    SUBROUTINE PMPI_File_read_all_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_read_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_all_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_read_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_all_end
    SUBROUTINE PMPI_File_read_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="pmpi_file_read_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_at
    SUBROUTINE PMPI_File_read_at_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_read_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_at_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_read_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_at_all
    SUBROUTINE PMPI_File_read_at_all_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_read_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_at_all_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_read_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_at_all_begin
    SUBROUTINE PMPI_File_read_at_all_begin_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="pmpi_file_read_at_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_at_all_begin_c_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="pmpi_file_read_at_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_at_all_end
    SUBROUTINE PMPI_File_read_at_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="pmpi_file_read_at_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_ordered
    SUBROUTINE PMPI_File_read_ordered_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_ordered_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_ordered_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_ordered_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_ordered_begin
    SUBROUTINE PMPI_File_read_ordered_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_read_ordered_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_ordered_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_read_ordered_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_ordered_end
    SUBROUTINE PMPI_File_read_ordered_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="pmpi_file_read_ordered_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_read_shared
    SUBROUTINE PMPI_File_read_shared_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_read_shared_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_read_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_seek
    SUBROUTINE PMPI_File_seek_f08(fh, offset, whence, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_seek_shared
    SUBROUTINE PMPI_File_seek_shared_f08(fh, offset, whence, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      INTEGER, INTENT(IN) :: whence
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_set_atomicity
    SUBROUTINE PMPI_File_set_atomicity_f08(fh, flag, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      LOGICAL, INTENT(IN) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_set_errhandler
    SUBROUTINE PMPI_File_set_errhandler_f08(file, errhandler, ierror)
      IMPORT :: MPI_File, MPI_Errhandler
      TYPE(MPI_File), INTENT(IN) :: file
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_set_info
    SUBROUTINE PMPI_File_set_info_f08(fh, info, ierror)
      IMPORT :: MPI_File, MPI_Info
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_set_size
    SUBROUTINE PMPI_File_set_size_f08(fh, size, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_set_view
    SUBROUTINE PMPI_File_set_view_f08(fh, disp, etype, filetype, datarep, info, ierror)
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Info
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: disp
      TYPE(MPI_Datatype), INTENT(IN) :: etype
      TYPE(MPI_Datatype), INTENT(IN) :: filetype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_sync
    SUBROUTINE PMPI_File_sync_f08(fh, ierror)
      IMPORT :: MPI_File
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write
    SUBROUTINE PMPI_File_write_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_write_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_write_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_all
    SUBROUTINE PMPI_File_write_all_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_write_all_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_all_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_write_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_all_begin
    SUBROUTINE PMPI_File_write_all_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_write_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_all_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_write_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_all_end
    SUBROUTINE PMPI_File_write_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="pmpi_file_write_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_at
    SUBROUTINE PMPI_File_write_at_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_write_at_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_at_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_write_at_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_at_all
    SUBROUTINE PMPI_File_write_at_all_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_write_at_all_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_at_all_c_f08ts(fh, offset, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_write_at_all_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_at_all_begin
    SUBROUTINE PMPI_File_write_at_all_begin_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="pmpi_file_write_at_all_begin_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_at_all_begin_c_f08ts(fh, offset, buf, count, datatype, ierror) &
        BIND(C, NAME="pmpi_file_write_at_all_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_OFFSET_KIND, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      INTEGER(KIND=MPI_OFFSET_KIND), INTENT(IN) :: offset
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_at_all_end
    SUBROUTINE PMPI_File_write_at_all_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="pmpi_file_write_at_all_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_ordered
    SUBROUTINE PMPI_File_write_ordered_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_write_ordered_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_ordered_c_f08ts(fh, buf, count, datatype, status, ierror) &
        BIND(C, NAME="pmpi_file_write_ordered_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_ordered_begin
    SUBROUTINE PMPI_File_write_ordered_begin_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_write_ordered_begin_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_ordered_begin_c_f08ts(fh, buf, count, datatype, ierror) BIND(C, &
        NAME="pmpi_file_write_ordered_begin_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_ordered_end
    SUBROUTINE PMPI_File_write_ordered_end_f08ts(fh, buf, status, ierror) BIND(C, &
        NAME="pmpi_file_write_ordered_end_f08ts_")
      IMPORT :: MPI_File, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_File_write_shared
    SUBROUTINE PMPI_File_write_shared_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_write_shared_f08ts_")
      IMPORT :: MPI_File, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_File_write_shared_c_f08ts(fh, buf, count, datatype, status, ierror) BIND(C, &
        NAME="pmpi_file_write_shared_c_f08ts_")
      IMPORT :: MPI_File, MPI_COUNT_KIND, MPI_Datatype, MPI_Status
      TYPE(MPI_File), INTENT(IN) :: fh
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Finalize
    SUBROUTINE PMPI_Finalize_f08(ierror)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Finalized
    SUBROUTINE PMPI_Finalized_f08(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Free_mem
    SUBROUTINE PMPI_Free_mem_f08ts(base, ierror) BIND(C, NAME="pmpi_free_mem_f08ts_")
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: base
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Gather
    SUBROUTINE PMPI_Gather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="pmpi_gather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="pmpi_gather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Gather_init
    SUBROUTINE PMPI_Gather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="pmpi_gather_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="pmpi_gather_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Gatherv
    SUBROUTINE PMPI_Gatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror) BIND(C, NAME="pmpi_gatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, ierror) BIND(C, NAME="pmpi_gatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Gatherv_init
    SUBROUTINE PMPI_Gatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_gatherv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Gatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_gatherv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get
    SUBROUTINE PMPI_Get_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, NAME="pmpi_get_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, &
        NAME="pmpi_get_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_accumulate
    SUBROUTINE PMPI_Get_accumulate_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror) BIND(C, NAME="pmpi_get_accumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, ierror) BIND(C, NAME="pmpi_get_accumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_address
    SUBROUTINE PMPI_Get_address_f08ts(location, address, ierror) BIND(C, &
        NAME="pmpi_get_address_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: location
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: address
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_count
    SUBROUTINE PMPI_Get_count_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_count_c_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_elements
    SUBROUTINE PMPI_Get_elements_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Get_elements_c_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_elements_x
    SUBROUTINE PMPI_Get_elements_x_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(IN) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_hw_resource_info
    SUBROUTINE PMPI_Get_hw_resource_info_f08(hw_info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: hw_info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_library_version
    SUBROUTINE PMPI_Get_library_version_f08(version, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_processor_name
    SUBROUTINE PMPI_Get_processor_name_f08(name, resultlen, ierror)
      CHARACTER(LEN=*), INTENT(OUT) :: name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Get_version
    SUBROUTINE PMPI_Get_version_f08(version, subversion, ierror)
      INTEGER, INTENT(OUT) :: version
      INTEGER, INTENT(OUT) :: subversion
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Graph_create
    SUBROUTINE PMPI_Graph_create_f08(comm_old, nnodes, indx, edges, reorder, comm_graph, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm_old
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      LOGICAL, INTENT(IN) :: reorder
      TYPE(MPI_Comm), INTENT(OUT) :: comm_graph
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Graph_get
    SUBROUTINE PMPI_Graph_get_f08(comm, maxindex, maxedges, indx, edges, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: maxindex
      INTEGER, INTENT(IN) :: maxedges
      INTEGER, INTENT(OUT) :: indx(*)
      INTEGER, INTENT(OUT) :: edges(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Graph_map
    SUBROUTINE PMPI_Graph_map_f08(comm, nnodes, indx, edges, newrank, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: nnodes
      INTEGER, INTENT(IN) :: indx(*)
      INTEGER, INTENT(IN) :: edges(*)
      INTEGER, INTENT(OUT) :: newrank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Graph_neighbors
    SUBROUTINE PMPI_Graph_neighbors_f08(comm, rank, maxneighbors, neighbors, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: maxneighbors
      INTEGER, INTENT(OUT) :: neighbors(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Graph_neighbors_count
    SUBROUTINE PMPI_Graph_neighbors_count_f08(comm, rank, nneighbors, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(OUT) :: nneighbors
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Graphdims_get
    SUBROUTINE PMPI_Graphdims_get_f08(comm, nnodes, nedges, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: nnodes
      INTEGER, INTENT(OUT) :: nedges
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Grequest_complete
    SUBROUTINE PMPI_Grequest_complete_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Grequest_start
    SUBROUTINE PMPI_Grequest_start_f08(query_fn, free_fn, cancel_fn, extra_state, request, &
        ierror)
      IMPORT :: MPI_Grequest_query_function, MPI_Grequest_free_function, &
        MPI_Grequest_cancel_function, MPI_ADDRESS_KIND, MPI_Request
      PROCEDURE(MPI_Grequest_query_function) :: query_fn
      PROCEDURE(MPI_Grequest_free_function) :: free_fn
      PROCEDURE(MPI_Grequest_cancel_function) :: cancel_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_compare
    SUBROUTINE PMPI_Group_compare_f08(group1, group2, result, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: result
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_difference
    SUBROUTINE PMPI_Group_difference_f08(group1, group2, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_excl
    SUBROUTINE PMPI_Group_excl_f08(group, n, ranks, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_free
    SUBROUTINE PMPI_Group_free_f08(group, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(INOUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_from_session_pset
    SUBROUTINE PMPI_Group_from_session_pset_f08(session, pset_name, newgroup, ierror)
      IMPORT :: MPI_Session, MPI_Group
      TYPE(MPI_Session), INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_incl
    SUBROUTINE PMPI_Group_incl_f08(group, n, ranks, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks(*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_intersection
    SUBROUTINE PMPI_Group_intersection_f08(group1, group2, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_range_excl
    SUBROUTINE PMPI_Group_range_excl_f08(group, n, ranges, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_range_incl
    SUBROUTINE PMPI_Group_range_incl_f08(group, n, ranges, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranges(3,*)
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_rank
    SUBROUTINE PMPI_Group_rank_f08(group, rank, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: rank
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_size
    SUBROUTINE PMPI_Group_size_f08(group, size, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_translate_ranks
    SUBROUTINE PMPI_Group_translate_ranks_f08(group1, n, ranks1, group2, ranks2, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(IN) :: ranks1(*)
      TYPE(MPI_Group), INTENT(IN) :: group2
      INTEGER, INTENT(OUT) :: ranks2(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Group_union
    SUBROUTINE PMPI_Group_union_f08(group1, group2, newgroup, ierror)
      IMPORT :: MPI_Group
      TYPE(MPI_Group), INTENT(IN) :: group1
      TYPE(MPI_Group), INTENT(IN) :: group2
      TYPE(MPI_Group), INTENT(OUT) :: newgroup
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iallgather
    SUBROUTINE PMPI_Iallgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="pmpi_iallgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iallgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="pmpi_iallgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iallgatherv
    SUBROUTINE PMPI_Iallgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror) BIND(C, NAME="pmpi_iallgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iallgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, &
        displs, recvtype, comm, request, ierror) BIND(C, NAME="pmpi_iallgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iallreduce
    SUBROUTINE PMPI_Iallreduce_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror) BIND(C, NAME="pmpi_iallreduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iallreduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror) BIND(C, NAME="pmpi_iallreduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ialltoall
    SUBROUTINE PMPI_Ialltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        comm, request, ierror) BIND(C, NAME="pmpi_ialltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ialltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="pmpi_ialltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ialltoallv
    SUBROUTINE PMPI_Ialltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ialltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ialltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ialltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ialltoallw
    SUBROUTINE PMPI_Ialltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="pmpi_ialltoallw_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ialltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="pmpi_ialltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ibarrier
    SUBROUTINE PMPI_Ibarrier_f08(comm, request, ierror)
      IMPORT :: MPI_Comm, MPI_Request
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ibcast
    SUBROUTINE PMPI_Ibcast_f08ts(buffer, count, datatype, root, comm, request, ierror) BIND(C, &
        NAME="pmpi_ibcast_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ibcast_c_f08ts(buffer, count, datatype, root, comm, request, ierror) &
        BIND(C, NAME="pmpi_ibcast_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ibsend
    SUBROUTINE PMPI_Ibsend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_ibsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ibsend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_ibsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iexscan
    SUBROUTINE PMPI_Iexscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        BIND(C, NAME="pmpi_iexscan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iexscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, &
        ierror) BIND(C, NAME="pmpi_iexscan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Igather
    SUBROUTINE PMPI_Igather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) BIND(C, NAME="pmpi_igather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Igather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) BIND(C, NAME="pmpi_igather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Igatherv
    SUBROUTINE PMPI_Igatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="pmpi_igatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Igatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="pmpi_igatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Improbe
    SUBROUTINE PMPI_Improbe_f08(source, tag, comm, flag, message, status, ierror)
      IMPORT :: MPI_Comm, MPI_Message, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Message), INTENT(OUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Imrecv
    SUBROUTINE PMPI_Imrecv_f08ts(buf, count, datatype, message, request, ierror) BIND(C, &
        NAME="pmpi_imrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Message, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Imrecv_c_f08ts(buf, count, datatype, message, request, ierror) BIND(C, &
        NAME="pmpi_imrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Message, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ineighbor_allgather
    SUBROUTINE PMPI_Ineighbor_allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="pmpi_ineighbor_allgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_allgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ineighbor_allgatherv
    SUBROUTINE PMPI_Ineighbor_allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_allgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_allgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ineighbor_alltoall
    SUBROUTINE PMPI_Ineighbor_alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, request, ierror) BIND(C, NAME="pmpi_ineighbor_alltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_alltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ineighbor_alltoallv
    SUBROUTINE PMPI_Ineighbor_alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_alltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_alltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ineighbor_alltoallw
    SUBROUTINE PMPI_Ineighbor_alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_alltoallw_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ineighbor_alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, request, ierror) BIND(C, &
        NAME="pmpi_ineighbor_alltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_create
    SUBROUTINE PMPI_Info_create_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_create_env
    SUBROUTINE PMPI_Info_create_env_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_delete
    SUBROUTINE PMPI_Info_delete_f08(info, key, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_dup
    SUBROUTINE PMPI_Info_dup_f08(info, newinfo, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Info), INTENT(OUT) :: newinfo
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_free
    SUBROUTINE PMPI_Info_free_f08(info, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(INOUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_get
    SUBROUTINE PMPI_Info_get_f08(info, key, valuelen, value, flag, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(IN) :: valuelen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_get_nkeys
    SUBROUTINE PMPI_Info_get_nkeys_f08(info, nkeys, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: nkeys
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_get_nthkey
    SUBROUTINE PMPI_Info_get_nthkey_f08(info, n, key, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      CHARACTER(LEN=*), INTENT(OUT) :: key
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_get_string
    SUBROUTINE PMPI_Info_get_string_f08(info, key, buflen, value, flag, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(INOUT) :: buflen
      CHARACTER(LEN=*), INTENT(OUT) :: value
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_get_valuelen
    SUBROUTINE PMPI_Info_get_valuelen_f08(info, key, valuelen, flag, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      INTEGER, INTENT(OUT) :: valuelen
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Info_set
    SUBROUTINE PMPI_Info_set_f08(info, key, value, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: key
      CHARACTER(LEN=*), INTENT(IN) :: value
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Init
    SUBROUTINE PMPI_Init_f08(ierror)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Init_thread
    SUBROUTINE PMPI_Init_thread_f08(required, provided, ierror)
      INTEGER, INTENT(IN) :: required
      INTEGER, INTENT(OUT) :: provided
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Initialized
    SUBROUTINE PMPI_Initialized_f08(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Intercomm_create
    SUBROUTINE PMPI_Intercomm_create_f08(local_comm, local_leader, peer_comm, remote_leader, &
        tag, newintercomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: local_comm
      INTEGER, INTENT(IN) :: local_leader
      TYPE(MPI_Comm), INTENT(IN) :: peer_comm
      INTEGER, INTENT(IN) :: remote_leader
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(OUT) :: newintercomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Intercomm_create_from_groups
    SUBROUTINE PMPI_Intercomm_create_from_groups_f08(local_group, local_leader, remote_group, &
        remote_leader, stringtag, info, errhandler, newintercomm, ierror)
      IMPORT :: MPI_Group, MPI_Info, MPI_Errhandler, MPI_Comm
      TYPE(MPI_Group), INTENT(IN) :: local_group
      INTEGER, INTENT(IN) :: local_leader
      TYPE(MPI_Group), INTENT(IN) :: remote_group
      INTEGER, INTENT(IN) :: remote_leader
      CHARACTER(LEN=*), INTENT(IN) :: stringtag
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      TYPE(MPI_Comm), INTENT(OUT) :: newintercomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Intercomm_merge
    SUBROUTINE PMPI_Intercomm_merge_f08(intercomm, high, newintracomm, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: intercomm
      LOGICAL, INTENT(IN) :: high
      TYPE(MPI_Comm), INTENT(OUT) :: newintracomm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iprobe
    SUBROUTINE PMPI_Iprobe_f08(source, tag, comm, flag, status, ierror)
      IMPORT :: MPI_Comm, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Irecv
    SUBROUTINE PMPI_Irecv_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_irecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Irecv_c_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_irecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ireduce
    SUBROUTINE PMPI_Ireduce_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror) BIND(C, NAME="pmpi_ireduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ireduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, request, &
        ierror) BIND(C, NAME="pmpi_ireduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ireduce_scatter
    SUBROUTINE PMPI_Ireduce_scatter_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror) BIND(C, NAME="pmpi_ireduce_scatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ireduce_scatter_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        request, ierror) BIND(C, NAME="pmpi_ireduce_scatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ireduce_scatter_block
    SUBROUTINE PMPI_Ireduce_scatter_block_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, request, ierror) BIND(C, NAME="pmpi_ireduce_scatter_block_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ireduce_scatter_block_c_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, request, ierror) BIND(C, NAME="pmpi_ireduce_scatter_block_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Irsend
    SUBROUTINE PMPI_Irsend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_irsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Irsend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_irsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Is_thread_main
    SUBROUTINE PMPI_Is_thread_main_f08(flag, ierror)
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iscan
    SUBROUTINE PMPI_Iscan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        BIND(C, NAME="pmpi_iscan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iscan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, request, ierror) &
        BIND(C, NAME="pmpi_iscan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iscatter
    SUBROUTINE PMPI_Iscatter_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, request, ierror) BIND(C, NAME="pmpi_iscatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iscatter_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="pmpi_iscatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Iscatterv
    SUBROUTINE PMPI_Iscatterv_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, request, ierror) BIND(C, NAME="pmpi_iscatterv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Iscatterv_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, request, ierror) BIND(C, &
        NAME="pmpi_iscatterv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Isend
    SUBROUTINE PMPI_Isend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) BIND(C, &
        NAME="pmpi_isend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Isend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_isend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Isendrecv
    SUBROUTINE PMPI_Isendrecv_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror) BIND(C, &
        NAME="pmpi_isendrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Isendrecv_c_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, request, ierror) BIND(C, &
        NAME="pmpi_isendrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Isendrecv_replace
    SUBROUTINE PMPI_Isendrecv_replace_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror) BIND(C, NAME="pmpi_isendrecv_replace_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Isendrecv_replace_c_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, request, ierror) BIND(C, NAME="pmpi_isendrecv_replace_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Issend
    SUBROUTINE PMPI_Issend_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_issend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Issend_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_issend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Lookup_name
    SUBROUTINE PMPI_Lookup_name_f08(service_name, info, port_name, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Mprobe
    SUBROUTINE PMPI_Mprobe_f08(source, tag, comm, message, status, ierror)
      IMPORT :: MPI_Comm, MPI_Message, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Message), INTENT(OUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Mrecv
    SUBROUTINE PMPI_Mrecv_f08ts(buf, count, datatype, message, status, ierror) BIND(C, &
        NAME="pmpi_mrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Message, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Mrecv_c_f08ts(buf, count, datatype, message, status, ierror) BIND(C, &
        NAME="pmpi_mrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Message, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Message), INTENT(INOUT) :: message
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_allgather
    SUBROUTINE PMPI_Neighbor_allgather_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="pmpi_neighbor_allgather_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgather_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, ierror) BIND(C, NAME="pmpi_neighbor_allgather_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_allgather_init
    SUBROUTINE PMPI_Neighbor_allgather_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_allgather_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgather_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_allgather_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_allgatherv
    SUBROUTINE PMPI_Neighbor_allgatherv_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, ierror) BIND(C, &
        NAME="pmpi_neighbor_allgatherv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgatherv_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, ierror) BIND(C, &
        NAME="pmpi_neighbor_allgatherv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_allgatherv_init
    SUBROUTINE PMPI_Neighbor_allgatherv_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_allgatherv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_allgatherv_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcounts, displs, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_allgatherv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_alltoall
    SUBROUTINE PMPI_Neighbor_alltoall_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="pmpi_neighbor_alltoall_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoall_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, comm, ierror) BIND(C, NAME="pmpi_neighbor_alltoall_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_alltoall_init
    SUBROUTINE PMPI_Neighbor_alltoall_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoall_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoall_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, &
        recvcount, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoall_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_alltoallv
    SUBROUTINE PMPI_Neighbor_alltoallv_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER, INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallv_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, recvbuf, &
        recvcounts, rdispls, recvtype, comm, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_alltoallv_init
    SUBROUTINE PMPI_Neighbor_alltoallv_init_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallv_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtype, &
        recvbuf, recvcounts, rdispls, recvtype, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_alltoallw
    SUBROUTINE PMPI_Neighbor_alltoallw_f08ts(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, &
        recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallw_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallw_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallw_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtypes(*)
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN) :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Neighbor_alltoallw_init
    SUBROUTINE PMPI_Neighbor_alltoallw_init_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallw_init_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Neighbor_alltoallw_init_c_f08ts(sendbuf, sendcounts, sdispls, sendtypes, &
        recvbuf, recvcounts, rdispls, recvtypes, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_neighbor_alltoallw_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: sdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: sendtypes(*)
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: rdispls(*)
      TYPE(MPI_Datatype), INTENT(IN), ASYNCHRONOUS :: recvtypes(*)
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Op_commutative
    SUBROUTINE PMPI_Op_commutative_f08(op, commute, ierror)
      IMPORT :: MPI_Op
      TYPE(MPI_Op), INTENT(IN) :: op
      LOGICAL, INTENT(OUT) :: commute
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Op_create
    SUBROUTINE PMPI_Op_create_f08(user_fn, commute, op, ierror)
      IMPORT :: MPI_User_function, MPI_Op
      PROCEDURE(MPI_User_function) :: user_fn
      LOGICAL, INTENT(IN) :: commute
      TYPE(MPI_Op), INTENT(OUT) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Op_create_c
    SUBROUTINE PMPI_Op_create_c_f08(user_fn, commute, op, ierror)
      IMPORT :: MPI_User_function_c, MPI_Op
      PROCEDURE(MPI_User_function_c) :: user_fn
      LOGICAL, INTENT(IN) :: commute
      TYPE(MPI_Op), INTENT(OUT) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Op_free
    SUBROUTINE PMPI_Op_free_f08(op, ierror)
      IMPORT :: MPI_Op
      TYPE(MPI_Op), INTENT(INOUT) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Open_port
    SUBROUTINE PMPI_Open_port_f08(info, port_name, ierror)
      IMPORT :: MPI_Info
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(OUT) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Pack
    SUBROUTINE PMPI_Pack_f08ts(inbuf, incount, datatype, outbuf, outsize, position, comm, &
        ierror) BIND(C, NAME="pmpi_pack_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER, INTENT(IN) :: outsize
      INTEGER, INTENT(INOUT) :: position
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack_c_f08ts(inbuf, incount, datatype, outbuf, outsize, position, comm, &
        ierror) BIND(C, NAME="pmpi_pack_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Pack_external
    SUBROUTINE PMPI_Pack_external_f08ts(datarep, inbuf, incount, datatype, outbuf, outsize, &
        position, ierror) BIND(C, NAME="pmpi_pack_external_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack_external_c_f08ts(datarep, inbuf, incount, datatype, outbuf, outsize, &
        position, ierror) BIND(C, NAME="pmpi_pack_external_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outsize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Pack_external_size
    SUBROUTINE PMPI_Pack_external_size_f08(datarep, incount, datatype, size, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack_external_size_c_f08(datarep, incount, datatype, size, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Pack_size
    SUBROUTINE PMPI_Pack_size_f08(incount, datatype, comm, size, ierror)
      IMPORT :: MPI_Datatype, MPI_Comm
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Pack_size_c_f08(incount, datatype, comm, size, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: incount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Parrived
    SUBROUTINE PMPI_Parrived_f08(request, partition, flag, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, INTENT(IN) :: partition
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Pready
    SUBROUTINE PMPI_Pready_f08(partition, request, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: partition
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Pready_list
    SUBROUTINE PMPI_Pready_list_f08(length, array_of_partitions, request, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: length
      INTEGER, INTENT(IN) :: array_of_partitions(*)
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Pready_range
    SUBROUTINE PMPI_Pready_range_f08(partition_low, partition_high, request, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: partition_low
      INTEGER, INTENT(IN) :: partition_high
      TYPE(MPI_Request), INTENT(IN) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Precv_init
    SUBROUTINE PMPI_Precv_init_f08ts(buf, partitions, count, datatype, source, tag, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_precv_init_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Probe
    SUBROUTINE PMPI_Probe_f08(source, tag, comm, status, ierror)
      IMPORT :: MPI_Comm, MPI_Status
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Psend_init
    SUBROUTINE PMPI_Psend_init_f08ts(buf, partitions, count, datatype, dest, tag, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_psend_init_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: partitions
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Publish_name
    SUBROUTINE PMPI_Publish_name_f08(service_name, info, port_name, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Put
    SUBROUTINE PMPI_Put_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, NAME="pmpi_put_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Put_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, ierror) BIND(C, &
        NAME="pmpi_put_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Query_thread
    SUBROUTINE PMPI_Query_thread_f08(provided, ierror)
      INTEGER, INTENT(OUT) :: provided
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Raccumulate
    SUBROUTINE PMPI_Raccumulate_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, op, win, request, ierror) BIND(C, &
        NAME="pmpi_raccumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Raccumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        target_rank, target_disp, target_count, target_datatype, op, win, request, ierror) &
        BIND(C, NAME="pmpi_raccumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Recv
    SUBROUTINE PMPI_Recv_f08ts(buf, count, datatype, source, tag, comm, status, ierror) BIND(C, &
        NAME="pmpi_recv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Recv_c_f08ts(buf, count, datatype, source, tag, comm, status, ierror) &
        BIND(C, NAME="pmpi_recv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Recv_init
    SUBROUTINE PMPI_Recv_init_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_recv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Recv_init_c_f08ts(buf, count, datatype, source, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_recv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Reduce
    SUBROUTINE PMPI_Reduce_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, ierror) &
        BIND(C, NAME="pmpi_reduce_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, ierror) &
        BIND(C, NAME="pmpi_reduce_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Reduce_init
    SUBROUTINE PMPI_Reduce_init_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_reduce_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, root, comm, &
        info, request, ierror) BIND(C, NAME="pmpi_reduce_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Reduce_local
    SUBROUTINE PMPI_Reduce_local_f08ts(inbuf, inoutbuf, count, datatype, op, ierror) BIND(C, &
        NAME="pmpi_reduce_local_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      TYPE(*), DIMENSION(..) :: inoutbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_local_c_f08ts(inbuf, inoutbuf, count, datatype, op, ierror) BIND(C, &
        NAME="pmpi_reduce_local_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      TYPE(*), DIMENSION(..) :: inoutbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Reduce_scatter
    SUBROUTINE PMPI_Reduce_scatter_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        ierror) BIND(C, NAME="pmpi_reduce_scatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        ierror) BIND(C, NAME="pmpi_reduce_scatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Reduce_scatter_block
    SUBROUTINE PMPI_Reduce_scatter_block_f08ts(sendbuf, recvbuf, recvcount, datatype, op, comm, &
        ierror) BIND(C, NAME="pmpi_reduce_scatter_block_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter_block_c_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, ierror) BIND(C, NAME="pmpi_reduce_scatter_block_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Reduce_scatter_block_init
    SUBROUTINE PMPI_Reduce_scatter_block_init_f08ts(sendbuf, recvbuf, recvcount, datatype, op, &
        comm, info, request, ierror) BIND(C, NAME="pmpi_reduce_scatter_block_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter_block_init_c_f08ts(sendbuf, recvbuf, recvcount, datatype, &
        op, comm, info, request, ierror) BIND(C, NAME="pmpi_reduce_scatter_block_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Reduce_scatter_init
    SUBROUTINE PMPI_Reduce_scatter_init_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, comm, &
        info, request, ierror) BIND(C, NAME="pmpi_reduce_scatter_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Reduce_scatter_init_c_f08ts(sendbuf, recvbuf, recvcounts, datatype, op, &
        comm, info, request, ierror) BIND(C, NAME="pmpi_reduce_scatter_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: recvcounts(*)
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Register_datarep
    SUBROUTINE PMPI_Register_datarep_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      IMPORT :: MPI_Datarep_conversion_function, MPI_Datarep_extent_function, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      PROCEDURE(MPI_Datarep_conversion_function) :: read_conversion_fn
      PROCEDURE(MPI_Datarep_conversion_function) :: write_conversion_fn
      PROCEDURE(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Register_datarep_c
    SUBROUTINE PMPI_Register_datarep_c_f08(datarep, read_conversion_fn, write_conversion_fn, &
        dtype_file_extent_fn, extra_state, ierror)
      IMPORT :: MPI_Datarep_conversion_function_c, MPI_Datarep_extent_function, MPI_ADDRESS_KIND
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      PROCEDURE(MPI_Datarep_conversion_function_c) :: read_conversion_fn
      PROCEDURE(MPI_Datarep_conversion_function_c) :: write_conversion_fn
      PROCEDURE(MPI_Datarep_extent_function) :: dtype_file_extent_fn
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Remove_error_class
    SUBROUTINE PMPI_Remove_error_class_f08(errorclass, ierror)
      INTEGER, INTENT(IN) :: errorclass
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Remove_error_code
    SUBROUTINE PMPI_Remove_error_code_f08(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Remove_error_string
    SUBROUTINE PMPI_Remove_error_string_f08(errorcode, ierror)
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Request_free
    SUBROUTINE PMPI_Request_free_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(INOUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Request_get_status
    SUBROUTINE PMPI_Request_get_status_f08(request, flag, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      TYPE(MPI_Request), INTENT(IN) :: request
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Request_get_status_all
    SUBROUTINE PMPI_Request_get_status_all_f08(count, array_of_requests, flag, &
        array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(IN) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Request_get_status_any
    SUBROUTINE PMPI_Request_get_status_any_f08(count, array_of_requests, indx, flag, status, &
        ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Request_get_status_some
    SUBROUTINE PMPI_Request_get_status_some_f08(incount, array_of_requests, outcount, &
        array_of_indices, array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Request), INTENT(IN) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Rget
    SUBROUTINE PMPI_Rget_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="pmpi_rget_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rget_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="pmpi_rget_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Rget_accumulate
    SUBROUTINE PMPI_Rget_accumulate_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror) BIND(C, NAME="pmpi_rget_accumulate_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER, INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rget_accumulate_c_f08ts(origin_addr, origin_count, origin_datatype, &
        result_addr, result_count, result_datatype, target_rank, target_disp, target_count, &
        target_datatype, op, win, request, ierror) BIND(C, NAME="pmpi_rget_accumulate_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Op, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: result_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: result_count
      TYPE(MPI_Datatype), INTENT(IN) :: result_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Rput
    SUBROUTINE PMPI_Rput_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="pmpi_rput_f08ts_")
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER, INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER, INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rput_c_f08ts(origin_addr, origin_count, origin_datatype, target_rank, &
        target_disp, target_count, target_datatype, win, request, ierror) BIND(C, &
        NAME="pmpi_rput_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_ADDRESS_KIND, MPI_Win, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: origin_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: origin_count
      TYPE(MPI_Datatype), INTENT(IN) :: origin_datatype
      INTEGER, INTENT(IN) :: target_rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: target_disp
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: target_count
      TYPE(MPI_Datatype), INTENT(IN) :: target_datatype
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Rsend
    SUBROUTINE PMPI_Rsend_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_rsend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rsend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_rsend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Rsend_init
    SUBROUTINE PMPI_Rsend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_rsend_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Rsend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_rsend_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Scan
    SUBROUTINE PMPI_Scan_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="pmpi_scan_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scan_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, ierror) BIND(C, &
        NAME="pmpi_scan_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Scan_init
    SUBROUTINE PMPI_Scan_init_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, request, &
        ierror) BIND(C, NAME="pmpi_scan_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scan_init_c_f08ts(sendbuf, recvbuf, count, datatype, op, comm, info, &
        request, ierror) BIND(C, NAME="pmpi_scan_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Op), INTENT(IN) :: op
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Scatter
    SUBROUTINE PMPI_Scatter_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="pmpi_scatter_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatter_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, &
        root, comm, ierror) BIND(C, NAME="pmpi_scatter_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Scatter_init
    SUBROUTINE PMPI_Scatter_init_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="pmpi_scatter_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatter_init_c_f08ts(sendbuf, sendcount, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, info, request, ierror) BIND(C, NAME="pmpi_scatter_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Scatterv
    SUBROUTINE PMPI_Scatterv_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror) BIND(C, NAME="pmpi_scatterv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcounts(*)
      INTEGER, INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatterv_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, &
        recvtype, root, comm, ierror) BIND(C, NAME="pmpi_scatterv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Scatterv_init
    SUBROUTINE PMPI_Scatterv_init_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_scatterv_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER, INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER, INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Scatterv_init_c_f08ts(sendbuf, sendcounts, displs, sendtype, recvbuf, &
        recvcount, recvtype, root, comm, info, request, ierror) BIND(C, &
        NAME="pmpi_scatterv_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_ADDRESS_KIND, MPI_Datatype, MPI_Comm, MPI_Info, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN), ASYNCHRONOUS :: sendcounts(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN), ASYNCHRONOUS :: displs(*)
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: root
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Send
    SUBROUTINE PMPI_Send_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_send_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Send_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_send_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Send_init
    SUBROUTINE PMPI_Send_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_send_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Send_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_send_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Sendrecv
    SUBROUTINE PMPI_Sendrecv_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, status, ierror) BIND(C, &
        NAME="pmpi_sendrecv_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER, INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER, INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Sendrecv_c_f08ts(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, &
        recvcount, recvtype, source, recvtag, comm, status, ierror) BIND(C, &
        NAME="pmpi_sendrecv_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..), INTENT(IN) :: sendbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: sendcount
      TYPE(MPI_Datatype), INTENT(IN) :: sendtype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      TYPE(*), DIMENSION(..) :: recvbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: recvcount
      TYPE(MPI_Datatype), INTENT(IN) :: recvtype
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Sendrecv_replace
    SUBROUTINE PMPI_Sendrecv_replace_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, status, ierror) BIND(C, NAME="pmpi_sendrecv_replace_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Sendrecv_replace_c_f08ts(buf, count, datatype, dest, sendtag, source, &
        recvtag, comm, status, ierror) BIND(C, NAME="pmpi_sendrecv_replace_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Status
      TYPE(*), DIMENSION(..) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: sendtag
      INTEGER, INTENT(IN) :: source
      INTEGER, INTENT(IN) :: recvtag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_attach_buffer
    SUBROUTINE PMPI_Session_attach_buffer_f08ts(session, buffer, size, ierror) BIND(C, &
        NAME="pmpi_session_attach_buffer_f08ts_")
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER, INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_attach_buffer_c_f08ts(session, buffer, size, ierror) BIND(C, &
        NAME="pmpi_session_attach_buffer_c_f08ts_")
      IMPORT :: MPI_Session, MPI_COUNT_KIND
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: buffer
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_call_errhandler
    SUBROUTINE PMPI_Session_call_errhandler_f08(session, errorcode, ierror)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: session
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_create_errhandler
    SUBROUTINE PMPI_Session_create_errhandler_f08(session_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_Session_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_Session_errhandler_function) :: session_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_detach_buffer
    SUBROUTINE PMPI_Session_detach_buffer_f08(session, buffer_addr, size, ierror)
      IMPORT :: MPI_Session, C_PTR
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Session_detach_buffer_c_f08(session, buffer_addr, size, ierror)
      IMPORT :: MPI_Session, C_PTR, MPI_COUNT_KIND
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(C_PTR), INTENT(OUT) :: buffer_addr
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_finalize
    SUBROUTINE PMPI_Session_finalize_f08(session, ierror)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(INOUT) :: session
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_flush_buffer
    SUBROUTINE PMPI_Session_flush_buffer_f08(session, ierror)
      IMPORT :: MPI_Session
      TYPE(MPI_Session), INTENT(IN) :: session
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_get_errhandler
    SUBROUTINE PMPI_Session_get_errhandler_f08(session, errhandler, ierror)
      IMPORT :: MPI_Session, MPI_Errhandler
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_get_info
    SUBROUTINE PMPI_Session_get_info_f08(session, info_used, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_get_nth_pset
    SUBROUTINE PMPI_Session_get_nth_pset_f08(session, info, n, pset_len, pset_name, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(IN) :: n
      INTEGER, INTENT(INOUT) :: pset_len
      CHARACTER(LEN=*), INTENT(OUT) :: pset_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_get_num_psets
    SUBROUTINE PMPI_Session_get_num_psets_f08(session, info, npset_names, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, INTENT(OUT) :: npset_names
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_get_pset_info
    SUBROUTINE PMPI_Session_get_pset_info_f08(session, pset_name, info, ierror)
      IMPORT :: MPI_Session, MPI_Info
      TYPE(MPI_Session), INTENT(IN) :: session
      CHARACTER(LEN=*), INTENT(IN) :: pset_name
      TYPE(MPI_Info), INTENT(OUT) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_iflush_buffer
    SUBROUTINE PMPI_Session_iflush_buffer_f08(session, request, ierror)
      IMPORT :: MPI_Session, MPI_Request
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_init
    SUBROUTINE PMPI_Session_init_f08(info, errhandler, session, ierror)
      IMPORT :: MPI_Info, MPI_Errhandler, MPI_Session
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      TYPE(MPI_Session), INTENT(OUT) :: session
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Session_set_errhandler
    SUBROUTINE PMPI_Session_set_errhandler_f08(session, errhandler, ierror)
      IMPORT :: MPI_Session, MPI_Errhandler
      TYPE(MPI_Session), INTENT(IN) :: session
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ssend
    SUBROUTINE PMPI_Ssend_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_ssend_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ssend_c_f08ts(buf, count, datatype, dest, tag, comm, ierror) BIND(C, &
        NAME="pmpi_ssend_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Ssend_init
    SUBROUTINE PMPI_Ssend_init_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_ssend_init_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Ssend_init_c_f08ts(buf, count, datatype, dest, tag, comm, request, ierror) &
        BIND(C, NAME="pmpi_ssend_init_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm, MPI_Request
      TYPE(*), DIMENSION(..), INTENT(IN), ASYNCHRONOUS, TARGET :: buf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: dest
      INTEGER, INTENT(IN) :: tag
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Request), INTENT(OUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Start
    SUBROUTINE PMPI_Start_f08(request, ierror)
      IMPORT :: MPI_Request
      TYPE(MPI_Request), INTENT(INOUT) :: request
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Startall
    SUBROUTINE PMPI_Startall_f08(count, array_of_requests, ierror)
      IMPORT :: MPI_Request
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_get_error
    SUBROUTINE PMPI_Status_get_error_f08(status, error, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: error
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_get_source
    SUBROUTINE PMPI_Status_get_source_f08(status, source, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: source
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_get_tag
    SUBROUTINE PMPI_Status_get_tag_f08(status, tag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      INTEGER, INTENT(OUT) :: tag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_set_cancelled
    SUBROUTINE PMPI_Status_set_cancelled_f08(status, flag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      LOGICAL, INTENT(IN) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_set_elements
    SUBROUTINE PMPI_Status_set_elements_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype
      TYPE(MPI_Status), INTENT(INOUT) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Status_set_elements_c_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(INOUT) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_set_elements_x
    SUBROUTINE PMPI_Status_set_elements_x_f08(status, datatype, count, ierror)
      IMPORT :: MPI_Status, MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Status), INTENT(INOUT) :: status
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_set_error
    SUBROUTINE PMPI_Status_set_error_f08(status, error, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: error
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_set_source
    SUBROUTINE PMPI_Status_set_source_f08(status, source, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: source
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Status_set_tag
    SUBROUTINE PMPI_Status_set_tag_f08(status, tag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(INOUT) :: status
      INTEGER, INTENT(IN) :: tag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Test
    SUBROUTINE PMPI_Test_f08(request, flag, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      TYPE(MPI_Request), INTENT(INOUT) :: request
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Test_cancelled
    SUBROUTINE PMPI_Test_cancelled_f08(status, flag, ierror)
      IMPORT :: MPI_Status
      TYPE(MPI_Status), INTENT(IN) :: status
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Testall
    SUBROUTINE PMPI_Testall_f08(count, array_of_requests, flag, array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Testany
    SUBROUTINE PMPI_Testany_f08(count, array_of_requests, indx, flag, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      LOGICAL, INTENT(OUT) :: flag
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Testsome
    SUBROUTINE PMPI_Testsome_f08(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Topo_test
    SUBROUTINE PMPI_Topo_test_f08(comm, status, ierror)
      IMPORT :: MPI_Comm
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, INTENT(OUT) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_commit
    SUBROUTINE PMPI_Type_commit_f08(datatype, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(INOUT) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_contiguous
    SUBROUTINE PMPI_Type_contiguous_f08(count, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_contiguous_c_f08(count, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_darray
    SUBROUTINE PMPI_Type_create_darray_f08(size, rank, ndims, array_of_gsizes, &
        array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_gsizes(*)
      INTEGER, INTENT(IN) :: array_of_distribs(*)
      INTEGER, INTENT(IN) :: array_of_dargs(*)
      INTEGER, INTENT(IN) :: array_of_psizes(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_darray_c_f08(size, rank, ndims, array_of_gsizes, &
        array_of_distribs, array_of_dargs, array_of_psizes, order, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: size
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: ndims
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_gsizes(*)
      INTEGER, INTENT(IN) :: array_of_distribs(*)
      INTEGER, INTENT(IN) :: array_of_dargs(*)
      INTEGER, INTENT(IN) :: array_of_psizes(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_f90_complex
    SUBROUTINE PMPI_Type_create_f90_complex_f08(p, r, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_f90_integer
    SUBROUTINE PMPI_Type_create_f90_integer_f08(r, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: r
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_f90_real
    SUBROUTINE PMPI_Type_create_f90_real_f08(p, r, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: p
      INTEGER, INTENT(IN) :: r
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_hindexed
    SUBROUTINE PMPI_Type_create_hindexed_f08(count, array_of_blocklengths, &
        array_of_displacements, oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_hindexed_c_f08(count, array_of_blocklengths, &
        array_of_displacements, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_hindexed_block
    SUBROUTINE PMPI_Type_create_hindexed_block_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_hindexed_block_c_f08(count, blocklength, &
        array_of_displacements, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_hvector
    SUBROUTINE PMPI_Type_create_hvector_f08(count, blocklength, stride, oldtype, newtype, &
        ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_hvector_c_f08(count, blocklength, stride, oldtype, newtype, &
        ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_indexed_block
    SUBROUTINE PMPI_Type_create_indexed_block_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_indexed_block_c_f08(count, blocklength, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_keyval
    SUBROUTINE PMPI_Type_create_keyval_f08(type_copy_attr_fn, type_delete_attr_fn, type_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_Type_copy_attr_function, MPI_Type_delete_attr_function, MPI_ADDRESS_KIND
      PROCEDURE(MPI_Type_copy_attr_function) :: type_copy_attr_fn
      PROCEDURE(MPI_Type_delete_attr_function) :: type_delete_attr_fn
      INTEGER, INTENT(OUT) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_resized
    SUBROUTINE PMPI_Type_create_resized_f08(oldtype, lb, extent, newtype, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extent
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_struct
    SUBROUTINE PMPI_Type_create_struct_f08(count, array_of_blocklengths, &
        array_of_displacements, array_of_types, newtype, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: array_of_types(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_struct_c_f08(count, array_of_blocklengths, &
        array_of_displacements, array_of_types, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: array_of_types(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_create_subarray
    SUBROUTINE PMPI_Type_create_subarray_f08(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: ndims
      INTEGER, INTENT(IN) :: array_of_sizes(*)
      INTEGER, INTENT(IN) :: array_of_subsizes(*)
      INTEGER, INTENT(IN) :: array_of_starts(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_create_subarray_c_f08(ndims, array_of_sizes, array_of_subsizes, &
        array_of_starts, order, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER, INTENT(IN) :: ndims
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_sizes(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_subsizes(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_starts(*)
      INTEGER, INTENT(IN) :: order
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_delete_attr
    SUBROUTINE PMPI_Type_delete_attr_f08(datatype, type_keyval, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_dup
    SUBROUTINE PMPI_Type_dup_f08(oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_free
    SUBROUTINE PMPI_Type_free_f08(datatype, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(INOUT) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_free_keyval
    SUBROUTINE PMPI_Type_free_keyval_f08(type_keyval, ierror)
      INTEGER, INTENT(INOUT) :: type_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_attr
    SUBROUTINE PMPI_Type_get_attr_f08(datatype, type_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_contents
    SUBROUTINE PMPI_Type_get_contents_f08(datatype, max_integers, max_addresses, max_datatypes, &
        array_of_integers, array_of_addresses, array_of_datatypes, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: max_integers
      INTEGER, INTENT(IN) :: max_addresses
      INTEGER, INTENT(IN) :: max_datatypes
      INTEGER, INTENT(OUT) :: array_of_integers(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: array_of_addresses(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: array_of_datatypes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_contents_c_f08(datatype, max_integers, max_addresses, &
        max_large_counts, max_datatypes, array_of_integers, array_of_addresses, &
        array_of_large_counts, array_of_datatypes, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_integers
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_addresses
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_large_counts
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: max_datatypes
      INTEGER, INTENT(OUT) :: array_of_integers(*)
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: array_of_addresses(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: array_of_large_counts(*)
      TYPE(MPI_Datatype), INTENT(OUT) :: array_of_datatypes(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_envelope
    SUBROUTINE PMPI_Type_get_envelope_f08(datatype, num_integers, num_addresses, num_datatypes, &
        combiner, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: num_integers
      INTEGER, INTENT(OUT) :: num_addresses
      INTEGER, INTENT(OUT) :: num_datatypes
      INTEGER, INTENT(OUT) :: combiner
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_get_envelope_c_f08(datatype, num_integers, num_addresses, &
        num_large_counts, num_datatypes, combiner, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_integers
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_addresses
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_large_counts
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: num_datatypes
      INTEGER, INTENT(OUT) :: combiner
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_extent
    SUBROUTINE PMPI_Type_get_extent_f08(datatype, lb, extent, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_extent_x
    SUBROUTINE PMPI_Type_get_extent_x_f08(datatype, lb, extent, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_name
    SUBROUTINE PMPI_Type_get_name_f08(datatype, type_name, resultlen, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(OUT) :: type_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_true_extent
    SUBROUTINE PMPI_Type_get_true_extent_f08(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: true_extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_true_extent_x
    SUBROUTINE PMPI_Type_get_true_extent_x_f08(datatype, true_lb, true_extent, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_lb
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: true_extent
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_get_value_index
    SUBROUTINE PMPI_Type_get_value_index_f08(value_type, index_type, pair_type, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: value_type
      TYPE(MPI_Datatype), INTENT(IN) :: index_type
      TYPE(MPI_Datatype), INTENT(OUT) :: pair_type
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_indexed
    SUBROUTINE PMPI_Type_indexed_f08(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: array_of_blocklengths(*)
      INTEGER, INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_indexed_c_f08(count, array_of_blocklengths, array_of_displacements, &
        oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_blocklengths(*)
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: array_of_displacements(*)
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_match_size
    SUBROUTINE PMPI_Type_match_size_f08(typeclass, size, datatype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: typeclass
      INTEGER, INTENT(IN) :: size
      TYPE(MPI_Datatype), INTENT(OUT) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_set_attr
    SUBROUTINE PMPI_Type_set_attr_f08(datatype, type_keyval, attribute_val, ierror)
      IMPORT :: MPI_Datatype, MPI_ADDRESS_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(IN) :: type_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_set_name
    SUBROUTINE PMPI_Type_set_name_f08(datatype, type_name, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      CHARACTER(LEN=*), INTENT(IN) :: type_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_size
    SUBROUTINE PMPI_Type_size_f08(datatype, size, ierror)
      IMPORT :: MPI_Datatype
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_size_c_f08(datatype, size, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_size_x
    SUBROUTINE PMPI_Type_size_x_f08(datatype, size, ierror)
      IMPORT :: MPI_Datatype, MPI_COUNT_KIND
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(OUT) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Type_vector
    SUBROUTINE PMPI_Type_vector_f08(count, blocklength, stride, oldtype, newtype, ierror)
      IMPORT :: MPI_Datatype
      INTEGER, INTENT(IN) :: count
      INTEGER, INTENT(IN) :: blocklength
      INTEGER, INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Type_vector_c_f08(count, blocklength, stride, oldtype, newtype, ierror)
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: count
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: blocklength
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: stride
      TYPE(MPI_Datatype), INTENT(IN) :: oldtype
      TYPE(MPI_Datatype), INTENT(OUT) :: newtype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Unpack
    SUBROUTINE PMPI_Unpack_f08ts(inbuf, insize, position, outbuf, outcount, datatype, comm, &
        ierror) BIND(C, NAME="pmpi_unpack_f08ts_")
      IMPORT :: MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER, INTENT(IN) :: insize
      INTEGER, INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Unpack_c_f08ts(inbuf, insize, position, outbuf, outcount, datatype, comm, &
        ierror) BIND(C, NAME="pmpi_unpack_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype, MPI_Comm
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      TYPE(MPI_Comm), INTENT(IN) :: comm
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Unpack_external
    SUBROUTINE PMPI_Unpack_external_f08ts(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror) BIND(C, NAME="pmpi_unpack_external_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER, INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Unpack_external_c_f08ts(datarep, inbuf, insize, position, outbuf, outcount, &
        datatype, ierror) BIND(C, NAME="pmpi_unpack_external_c_f08ts_")
      IMPORT :: MPI_COUNT_KIND, MPI_Datatype
      CHARACTER(LEN=*), INTENT(IN) :: datarep
      TYPE(*), DIMENSION(..), INTENT(IN) :: inbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: insize
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(INOUT) :: position
      TYPE(*), DIMENSION(..) :: outbuf
      INTEGER(KIND=MPI_COUNT_KIND), INTENT(IN) :: outcount
      TYPE(MPI_Datatype), INTENT(IN) :: datatype
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Unpublish_name
    SUBROUTINE PMPI_Unpublish_name_f08(service_name, info, port_name, ierror)
      IMPORT :: MPI_Info
      CHARACTER(LEN=*), INTENT(IN) :: service_name
      TYPE(MPI_Info), INTENT(IN) :: info
      CHARACTER(LEN=*), INTENT(IN) :: port_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Wait
    SUBROUTINE PMPI_Wait_f08(request, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      TYPE(MPI_Request), INTENT(INOUT) :: request
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Waitall
    SUBROUTINE PMPI_Waitall_f08(count, array_of_requests, array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Waitany
    SUBROUTINE PMPI_Waitany_f08(count, array_of_requests, indx, status, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: count
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: indx
      TYPE(MPI_Status) :: status
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Waitsome
    SUBROUTINE PMPI_Waitsome_f08(incount, array_of_requests, outcount, array_of_indices, &
        array_of_statuses, ierror)
      IMPORT :: MPI_Request, MPI_Status
      INTEGER, INTENT(IN) :: incount
      TYPE(MPI_Request), INTENT(INOUT) :: array_of_requests(*)
      INTEGER, INTENT(OUT) :: outcount
      INTEGER, INTENT(OUT) :: array_of_indices(*)
      TYPE(MPI_Status) :: array_of_statuses(*)
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_allocate
    SUBROUTINE PMPI_Win_allocate_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_allocate_c_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_allocate_shared
    SUBROUTINE PMPI_Win_allocate_shared_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_allocate_shared_c_f08(size, disp_unit, info, comm, baseptr, win, ierror)
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, C_PTR, MPI_Win
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_attach
    SUBROUTINE PMPI_Win_attach_f08ts(win, base, size, ierror) BIND(C, &
        NAME="pmpi_win_attach_f08ts_")
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_call_errhandler
    SUBROUTINE PMPI_Win_call_errhandler_f08(win, errorcode, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: errorcode
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_complete
    SUBROUTINE PMPI_Win_complete_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_create
    SUBROUTINE PMPI_Win_create_f08ts(base, size, disp_unit, info, comm, win, ierror) BIND(C, &
        NAME="pmpi_win_create_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER, INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_create_c_f08ts(base, size, disp_unit, info, comm, win, ierror) BIND(C, &
        NAME="pmpi_win_create_c_f08ts_")
      IMPORT :: MPI_ADDRESS_KIND, MPI_Info, MPI_Comm, MPI_Win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: disp_unit
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_create_dynamic
    SUBROUTINE PMPI_Win_create_dynamic_f08(info, comm, win, ierror)
      IMPORT :: MPI_Info, MPI_Comm, MPI_Win
      TYPE(MPI_Info), INTENT(IN) :: info
      TYPE(MPI_Comm), INTENT(IN) :: comm
      TYPE(MPI_Win), INTENT(OUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_create_errhandler
    SUBROUTINE PMPI_Win_create_errhandler_f08(win_errhandler_fn, errhandler, ierror)
      IMPORT :: MPI_Win_errhandler_function, MPI_Errhandler
      PROCEDURE(MPI_Win_errhandler_function) :: win_errhandler_fn
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_create_keyval
    SUBROUTINE PMPI_Win_create_keyval_f08(win_copy_attr_fn, win_delete_attr_fn, win_keyval, &
        extra_state, ierror)
      IMPORT :: MPI_Win_copy_attr_function, MPI_Win_delete_attr_function, MPI_ADDRESS_KIND
      PROCEDURE(MPI_Win_copy_attr_function) :: win_copy_attr_fn
      PROCEDURE(MPI_Win_delete_attr_function) :: win_delete_attr_fn
      INTEGER, INTENT(OUT) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: extra_state
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_delete_attr
    SUBROUTINE PMPI_Win_delete_attr_f08(win, win_keyval, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_detach
    SUBROUTINE PMPI_Win_detach_f08ts(win, base, ierror) BIND(C, NAME="pmpi_win_detach_f08ts_")
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(*), DIMENSION(..), ASYNCHRONOUS, TARGET :: base
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_fence
    SUBROUTINE PMPI_Win_fence_f08(assert, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_flush
    SUBROUTINE PMPI_Win_flush_f08(rank, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: rank
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_flush_all
    SUBROUTINE PMPI_Win_flush_all_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_flush_local
    SUBROUTINE PMPI_Win_flush_local_f08(rank, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: rank
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_flush_local_all
    SUBROUTINE PMPI_Win_flush_local_all_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_free
    SUBROUTINE PMPI_Win_free_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(INOUT) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_free_keyval
    SUBROUTINE PMPI_Win_free_keyval_f08(win_keyval, ierror)
      INTEGER, INTENT(INOUT) :: win_keyval
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_get_attr
    SUBROUTINE PMPI_Win_get_attr_f08(win, win_keyval, attribute_val, flag, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: attribute_val
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_get_errhandler
    SUBROUTINE PMPI_Win_get_errhandler_f08(win, errhandler, ierror)
      IMPORT :: MPI_Win, MPI_Errhandler
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Errhandler), INTENT(OUT) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_get_group
    SUBROUTINE PMPI_Win_get_group_f08(win, group, ierror)
      IMPORT :: MPI_Win, MPI_Group
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Group), INTENT(OUT) :: group
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_get_info
    SUBROUTINE PMPI_Win_get_info_f08(win, info_used, ierror)
      IMPORT :: MPI_Win, MPI_Info
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Info), INTENT(OUT) :: info_used
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_get_name
    SUBROUTINE PMPI_Win_get_name_f08(win, win_name, resultlen, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(OUT) :: win_name
      INTEGER, INTENT(OUT) :: resultlen
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_lock
    SUBROUTINE PMPI_Win_lock_f08(lock_type, rank, assert, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: lock_type
      INTEGER, INTENT(IN) :: rank
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_lock_all
    SUBROUTINE PMPI_Win_lock_all_f08(assert, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_post
    SUBROUTINE PMPI_Win_post_f08(group, assert, win, ierror)
      IMPORT :: MPI_Group, MPI_Win
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_set_attr
    SUBROUTINE PMPI_Win_set_attr_f08(win, win_keyval, attribute_val, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: win_keyval
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(IN) :: attribute_val
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_set_errhandler
    SUBROUTINE PMPI_Win_set_errhandler_f08(win, errhandler, ierror)
      IMPORT :: MPI_Win, MPI_Errhandler
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Errhandler), INTENT(IN) :: errhandler
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_set_info
    SUBROUTINE PMPI_Win_set_info_f08(win, info, ierror)
      IMPORT :: MPI_Win, MPI_Info
      TYPE(MPI_Win), INTENT(IN) :: win
      TYPE(MPI_Info), INTENT(IN) :: info
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_set_name
    SUBROUTINE PMPI_Win_set_name_f08(win, win_name, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      CHARACTER(LEN=*), INTENT(IN) :: win_name
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_shared_query
    SUBROUTINE PMPI_Win_shared_query_f08(win, rank, size, disp_unit, baseptr, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND, C_PTR
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER, INTENT(OUT) :: disp_unit
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
    SUBROUTINE PMPI_Win_shared_query_c_f08(win, rank, size, disp_unit, baseptr, ierror)
      IMPORT :: MPI_Win, MPI_ADDRESS_KIND, C_PTR
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, INTENT(IN) :: rank
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: size
      INTEGER(KIND=MPI_ADDRESS_KIND), INTENT(OUT) :: disp_unit
      TYPE(C_PTR), INTENT(OUT) :: baseptr
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_start
    SUBROUTINE PMPI_Win_start_f08(group, assert, win, ierror)
      IMPORT :: MPI_Group, MPI_Win
      TYPE(MPI_Group), INTENT(IN) :: group
      INTEGER, INTENT(IN) :: assert
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_sync
    SUBROUTINE PMPI_Win_sync_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_test
    SUBROUTINE PMPI_Win_test_f08(win, flag, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      LOGICAL, INTENT(OUT) :: flag
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_unlock
    SUBROUTINE PMPI_Win_unlock_f08(rank, win, ierror)
      IMPORT :: MPI_Win
      INTEGER, INTENT(IN) :: rank
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_unlock_all
    SUBROUTINE PMPI_Win_unlock_all_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE

  INTERFACE PMPI_Win_wait
    SUBROUTINE PMPI_Win_wait_f08(win, ierror)
      IMPORT :: MPI_Win
      TYPE(MPI_Win), INTENT(IN) :: win
      INTEGER, OPTIONAL, INTENT(OUT) :: ierror
    END SUBROUTINE
  END INTERFACE
END MODULE mpi_f08
