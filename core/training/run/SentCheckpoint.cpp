// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/run/SentCheckpoint.h"

#include <ATen/Functions.h>

#include "core/base/Translation.h"
#include "core/config/ConfigText.h"

namespace headlight {
namespace {

/// Names, shapes and types of the tensors that follow.
Json listOf(const NamedTensors& tensors) {
  Json list = Json::array();
  for (const auto& [name, tensor] : tensors)
    list.push_back({name, tensor.sizes().vec(), static_cast<int>(tensor.scalar_type())});
  return list;
}

NamedTensors emptyTensors(const Json& list) {
  NamedTensors tensors;
  for (const Json& item : list)
    tensors.emplace_back(item[0].get<std::string>(),
                         at::empty(item[1].get<std::vector<std::int64_t>>(),
                                   static_cast<at::ScalarType>(item[2].get<int>())));
  return tensors;
}

void broadcastAll(Processes& processes, const NamedTensors& tensors) {
  for (const auto& item : tensors) {
    at::Tensor contiguous = item.second.detach().to(at::kCPU).contiguous();
    if (contiguous.numel() > 0) processes.broadcast(contiguous);
  }
}

}  // namespace

void sendFile(Processes& processes, const Checkpoint& file) {
  processes.broadcast(Json{{"metadata", file.metadata}, {"tensors", listOf(file.tensors)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace));
  broadcastAll(processes, file.tensors);
}

Checkpoint receiveFile(Processes& processes) {
  const Json sent = jsonOrDiscarded(processes.broadcast(""));
  if (!sent.is_object())
    throw Failure({ErrorCode::Internal, tr("sent a checkpoint that cannot be parsed"), kSender});
  Checkpoint file;
  file.metadata = sent["metadata"].get<std::map<std::string, std::string>>();
  file.tensors = emptyTensors(sent["tensors"]);
  broadcastAll(processes, file.tensors);
  return file;
}

void sendCheckpoint(Processes& processes, const TrainingCheckpoint& checkpoint) {
  sendFile(processes, packed(checkpoint));
}

TrainingCheckpoint receiveCheckpoint(Processes& processes) {
  return unpacked(receiveFile(processes), kSender);
}

}  // namespace headlight
