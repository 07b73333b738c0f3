// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/DataNotes.h"

#include <algorithm>
#include <mutex>
#include <set>

#include "core/base/Log.h"

namespace headlight {
namespace {

constexpr std::size_t kMostRemembered = 10'000;

/// Whether it is said for the first time.
bool isNews(const std::string& note) {
  static std::mutex mutex;
  static std::set<std::string> said;
  const std::lock_guard lock(mutex);
  if (said.size() >= kMostRemembered) said.clear();
  return said.insert(note).second;
}

}  // namespace

std::vector<std::string> describeSplits(const Dataset& train, const Dataset& validation) {
  std::vector<std::string> notes = train.notes();
  for (std::string& note : validation.notes())
    if (std::find(notes.begin(), notes.end(), note) == notes.end())
      notes.push_back(std::move(note));
  return notes;
}

void logNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes)
    if (isNews(note)) logWarning(note);
}

}  // namespace headlight
