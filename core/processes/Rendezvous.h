// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Where processes meet: a small store of texts that process 0 (or the launcher) keeps, and what is
// known there of each: a heartbeat every second, why it ended, that it took leave or is gone.
// Whoever waits here waits for no longer than the time-out, and not at all for one that ended.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/processes/Launch.h"
#include "core/processes/StoreAccess.h"

namespace headlight {

class Rendezvous {
 public:
  using Clock = StoreAccess::Clock;
  using Texts = c10::intrusive_ptr<c10d::Store>;

  /// Until endStart() a request to stop ends every wait. Throws Failure: Io, Canceled.
  Rendezvous(const Launch& launch, std::chrono::seconds timeout, std::stop_token stop);
  ~Rendezvous();
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  /// Whether this process came to where they meet, and one of a lower rank is left to speak.
  static bool othersSpeak();

  /// For those that connect by it.
  const Texts& texts() const { return m_texts; }
  void write(const std::string& key, const std::string& text);
  /// Waits until somebody has written it. Throws after the time-out, where a process ended, and
  /// where this one is to stop.
  std::string read(const std::string& key);

  /// A stop request is the run's from now on.
  void endStart() { *m_starting = false; }
  bool isStarting() const { return *m_starting; }
  /// To be called while something else is waited for. Throws where a process ended, where this one
  /// is to stop, and after `until`.
  void requireGoingOn(Clock::time_point until);

  /// To be called where something begins that all take part in.
  void noteBegun() { ++m_begun; }

  /// Why this process ends; the others find it.
  void leaveWord(const std::string& why);
  /// What to say of a call that failed with `reason`: that this process was to stop, or who is to
  /// blame; takes some seconds. The others find it, too. Notes who is gone.
  Error verdict(const std::string& reason);
  /// Whether no process of a lower rank is left to speak.
  bool isFirstLeft() const { return m_speaker == m_launch.rank; }

 private:
  struct Heartbeat {
    std::string beat;         ///< changes every second
    std::int64_t begun = -1;  ///< of noteBegun; what came last
    std::string machine;
  };
  struct LastWord;
  bool isToStop() const { return *m_starting && m_stop.stop_requested(); }
  void openStore();
  void beat();
  void writeHeartbeat();
  void leave(const LastWord& word);
  std::string find(const std::string& key, Clock::time_point until) const;
  std::string find(const std::string& key) const;
  Heartbeat readHeartbeat(int rank) const;
  std::vector<Heartbeat> heartbeats() const;
  LastWord blamed(const std::string& reason);
  std::optional<LastWord> toldBy(const std::vector<Heartbeat>& known) const;
  std::optional<LastWord> missing(const std::vector<Heartbeat>& before,
                                  const std::vector<Heartbeat>& now);
  std::string named(int rank, const Heartbeat& heartbeat) const;
  void noteGone(int rank);
  void takeLeave();

  Launch m_launch;
  std::chrono::seconds m_timeout;
  std::stop_token m_stop;
  /// Shared with what may outlive this: a thread that still connects.
  std::shared_ptr<std::atomic<bool>> m_starting = std::make_shared<std::atomic<bool>>(true);
  std::string m_machine;
  std::shared_ptr<StoreAccess> m_store;
  Texts m_texts;
  std::atomic<std::int64_t> m_begun{0};
  std::int64_t m_beats = 0;
  int m_speaker = 0;
  std::set<int> m_gone;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_ended = false;
  std::thread m_heart;
};

}  // namespace headlight
