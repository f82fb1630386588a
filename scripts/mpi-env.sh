# Sourced by the other scripts: settings that let mpirun work on any machine, laptop or container. What is already
# set stays.

# OpenMPI refuses to run as root (as in a container) unless told twice.
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=${OMPI_ALLOW_RUN_AS_ROOT:-1}
  export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM:-1}
fi
# More ranks than cores are allowed, and two runs beside each other do not share one core.
export OMPI_MCA_rmaps_base_oversubscribe=${OMPI_MCA_rmaps_base_oversubscribe:-1}
export OMPI_MCA_hwloc_base_binding_policy=${OMPI_MCA_hwloc_base_binding_policy:-none}
# A rank that waits lets others run: on a busy machine that is two to five times faster.
export OMPI_MCA_mpi_yield_when_idle=${OMPI_MCA_mpi_yield_when_idle:-1}
# One machine: shared memory only. Start-up takes 0.1 s instead of 0.3 s without probing for networks.
export OMPI_MCA_pml=${OMPI_MCA_pml:-ob1}
export OMPI_MCA_btl=${OMPI_MCA_btl:-self,vader,tcp}
export OMPI_MCA_btl_tcp_if_include=${OMPI_MCA_btl_tcp_if_include:-lo}
export OMPI_MCA_oob_tcp_if_include=${OMPI_MCA_oob_tcp_if_include:-lo}
# Ranks, not threads, share the cores, unless somebody asks for threads.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
