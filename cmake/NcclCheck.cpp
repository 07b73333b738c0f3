// Not of the program: cmake/Nccl.cmake tries whether this can be compiled and linked.
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

int main() {
  const c10::intrusive_ptr<c10d::Store> none;
  const auto group = c10::make_intrusive<c10d::ProcessGroupNCCL>(none, 0, 1);
  std::vector<at::Tensor> tensors;
  group->allreduce(tensors);
  group->broadcast(tensors);
  return c10d::getNcclVersion().empty();
}
