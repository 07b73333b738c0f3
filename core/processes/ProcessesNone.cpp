// SPDX-License-Identifier: GPL-3.0-or-later

// Processes.h: a build without c10d's or Gloo's headers, in which every run has one process.
#include "core/base/Result.h"
#include "core/base/Translation.h"
#include "core/processes/Processes.h"

namespace headlight {

struct Processes::State {};

std::string sumsBy(const at::Device&) {
  return "";
}

bool othersSpeak() {
  return false;
}
bool leaveWord(const Launch&, const std::string&, std::chrono::seconds, std::stop_token) {
  return false;
}

Processes::Processes(const Launch& launch, std::chrono::seconds, std::stop_token) {
  throw Failure(
      {ErrorCode::InvalidConfig,
       tr("this build trains in one process; install libgloo-dev and build again to train "
          "in ") +
           std::to_string(launch.count),
       launch.launcher});
}

Processes::~Processes() = default;
int Processes::rank() const {
  return 0;
}
int Processes::count() const {
  return 1;
}
void Processes::sum(at::Tensor&) {}
std::unique_ptr<PendingSum> Processes::beginSum(at::Tensor&) {
  return nullptr;
}
void Processes::broadcast(at::Tensor&) {}
bool Processes::any(bool here) {
  return here;
}
std::string Processes::broadcast(const std::string& text) {
  return text;
}
std::vector<std::string> Processes::gather(const std::string& text) {
  return {text};
}
void Processes::endStart() {}
void Processes::fail(const std::string&) {}
bool Processes::speaks() const {
  return true;
}

}  // namespace headlight
