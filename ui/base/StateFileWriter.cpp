// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/StateFileWriter.h"

#include "core/base/Log.h"
#include "core/base/files/Files.h"

namespace headlight {

StateFileWriter::StateFileWriter() : m_thread(std::make_unique<WorkerThread>()) {}

StateFileWriter::~StateFileWriter() {
  m_thread.reset();  // drops what has not begun
  writeNewest();
}

void StateFileWriter::write(std::string path, std::string text) {
  if (path.empty()) return;
  {
    const std::lock_guard lock(m_mutex);
    m_newest = State{std::move(path), std::move(text)};
  }
  m_thread->post([this](std::stop_token) { writeNewest(); });
}

void StateFileWriter::writeNewest() {
  std::optional<State> state;
  {
    const std::lock_guard lock(m_mutex);
    state.swap(m_newest);
  }
  if (!state) return;
  if (const auto written = writeFileAtomically(state->path, state->text); !written)
    logInfo(written.error().text());
}

}  // namespace headlight
