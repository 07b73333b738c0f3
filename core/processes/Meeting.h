#pragma once
// Where processes meet: a small store of texts that process 0 (or the launcher) keeps, and what is
// known there of each: a beat every second, why it ended, that it took leave.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <torch/csrc/distributed/c10d/Store.hpp>

#include "core/processes/Launch.h"

namespace headlight {

class Meeting {
 public:
  using Texts = c10::intrusive_ptr<c10d::Store>;

  /// Throws Failure (Io).
  Meeting(const Launch& launch, std::chrono::seconds timeout);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  /// Whether this process ever came to where they meet.
  static bool happened();

  const Texts& texts() const { return m_texts; }
  void write(const std::string& key, const std::string& text);
  /// Waits until somebody has written it. Throws after the time-out, and where a process ended.
  std::string read(const std::string& key);

  /// Whether a process said why it ends.
  bool anyEnded();

  /// To be called where something begins that all take part in.
  void noteBegun() { ++m_begun; }

  /// Why this process ends; the others find it.
  void leaveWord(const std::string& why);
  /// Who is to blame for a call that failed with `reason`, in words; takes some seconds. Notes who
  /// is gone.
  std::string blame(const std::string& reason);
  /// Whether that was what somebody else said, which all can read.
  bool wasTold() const { return m_told; }
  /// Whether no process of a lower rank is left to speak.
  bool isFirstLeft() const { return m_speaker == m_launch.rank; }

 private:
  struct Pulse {
    std::string beat;         ///< changes every second
    std::int64_t begun = -1;  ///< of noteBegun; what came last
    std::string machine;
  };
  void beat();
  void writePulse();
  Pulse pulseOf(int rank);
  std::string wordOf(int rank);
  std::string find(const std::string& reason);
  std::string named(int rank, const Pulse& pulse) const;
  void takeLeave();

  Launch m_launch;
  std::chrono::seconds m_timeout;
  std::string m_machine;
  Texts m_texts, m_pulses;  ///< two connections: one may wait while the other tells
  std::atomic<std::int64_t> m_begun{0};
  std::int64_t m_beats = 0;
  int m_speaker = 0;
  bool m_told = false;
  std::set<int> m_gone;
  std::mutex m_mutex;
  std::condition_variable m_wake;
  bool m_ended = false;
  std::thread m_heart;
};

}  // namespace headlight
