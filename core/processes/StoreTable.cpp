// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/processes/StoreTable.h"

#include <charconv>
#include <optional>

namespace headlight {
namespace {

std::optional<std::int64_t> wholeNumber(const std::string& text) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

}  // namespace

StoreReply StoreTable::answer(const StoreRequest& request) {
  const std::lock_guard lock(m_mutex);
  switch (request.kind) {
    case StoreRequest::Kind::Set:
      m_texts[request.key] = request.value;
      return {true, ""};
    case StoreRequest::Kind::Get: {
      const auto found = m_texts.find(request.key);
      return found == m_texts.end() ? StoreReply{} : StoreReply{true, found->second};
    }
    case StoreRequest::Kind::Add:
      return add(request);
    case StoreRequest::Kind::CompareSet:
      return compareSet(request);
    case StoreRequest::Kind::Remove:
      return {m_texts.erase(request.key) > 0, ""};
    case StoreRequest::Kind::Count:
      return {true, std::to_string(m_texts.size())};
  }
  return {};
}

void StoreTable::set(const std::string& key, const std::string& value) {
  answer({StoreRequest::Kind::Set, key, value, ""});
}

bool StoreTable::has(const std::string& key) const {
  const std::lock_guard lock(m_mutex);
  return m_texts.count(key) > 0;
}

StoreReply StoreTable::add(const StoreRequest& request) {
  const auto found = m_texts.find(request.key);
  const auto before = wholeNumber(found == m_texts.end() ? "0" : found->second);
  const auto added = wholeNumber(request.value);
  std::int64_t sum = 0;
  if (!before || !added || __builtin_add_overflow(*before, *added, &sum)) return {};
  return {true, m_texts[request.key] = std::to_string(sum)};
}

/// As c10d's own store does it: a key that is missing is set where nothing was expected.
StoreReply StoreTable::compareSet(const StoreRequest& request) {
  const auto found = m_texts.find(request.key);
  if (found == m_texts.end() && !request.expected.empty()) return {true, request.expected};
  if (found != m_texts.end() && found->second != request.expected) return {true, found->second};
  return {true, m_texts[request.key] = request.value};
}

std::string heartbeatKey(int rank) {
  return "heartbeat/" + std::to_string(rank);
}
std::string lastWordKey(int rank) {
  return "word/" + std::to_string(rank);
}
std::string leaveKey(int rank) {
  return "leave/" + std::to_string(rank);
}
std::string goneKey(int rank) {
  return "gone/" + std::to_string(rank);
}

}  // namespace headlight
