// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/training/sequence/SentSequence.h"

#include <utility>

#include "core/training/run/SentCheckpoint.h"

namespace headlight {

void sendSequenceFile(Processes& processes, SequenceFile file) {
  file.owed.clear();
  file.unwritten.clear();
  OwedFile content = sequenceFileContent("", file);
  Checkpoint sent;
  sent.tensors = std::move(content.weights);
  sent.metadata = std::move(content.metadata);
  sendFile(processes, sent);
}

SequenceFile receiveSequenceFile(Processes& processes) {
  return sequenceFileOf(receiveFile(processes), kSender);
}

}  // namespace headlight
