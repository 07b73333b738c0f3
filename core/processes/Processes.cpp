// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/Processes.h"

#include <utility>

namespace headlight {
namespace {

thread_local Processes* current = nullptr;

}  // namespace

Processes* currentProcesses() {
  return current;
}

ProcessesScope::ProcessesScope(Processes* processes)
    : m_before(std::exchange(current, processes)) {}

ProcessesScope::~ProcessesScope() {
  current = m_before;
}

}  // namespace headlight
