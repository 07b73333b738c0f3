// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The texts that the processes of a run share, by key: what process 0 keeps for all of them. It
// answers what c10d asks of a store. Thread-safe. No torch type.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace headlight {

struct StoreRequest {
  enum class Kind : std::uint8_t {
    Set,
    Get,
    Add,         ///< `value` is a whole number; a key that is missing counts as 0
    CompareSet,  ///< sets `value` where the key has `expected`
    Remove,
    Count,  ///< of keys
  };
  static constexpr auto kLastKind = Kind::Count;

  Kind kind = Kind::Get;
  std::string key, value, expected;
};

struct StoreReply {
  bool found = false;  ///< false where there is no such key, or the request makes no sense
  std::string value;
};

class StoreTable {
 public:
  StoreReply answer(const StoreRequest& request);
  void set(const std::string& key, const std::string& value);
  bool has(const std::string& key) const;

 private:
  StoreReply add(const StoreRequest& request);
  StoreReply compareSet(const StoreRequest& request);

  mutable std::mutex m_mutex;
  std::map<std::string, std::string> m_texts;
};

/// What is known of a process.
std::string heartbeatKey(int rank);
std::string lastWordKey(int rank);  ///< why it ended
std::string leaveKey(int rank);     ///< it went in order
std::string goneKey(int rank);      ///< its connection ended before it took leave
/// There where a process left a last word or is gone: what others wait for may never come.
inline constexpr const char* kSomebodyEndedKey = "ended";

}  // namespace headlight
