// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Writing evolution.bin (EvolutionFile.h) while a run goes on. It is only added to; when it would
// grow beyond its bound every second point goes, the file is written anew beside the old one and
// renamed, and from then on half as many are kept: so what is written over a whole run is at most
// three times the bound. The run's first point stays, and its last is always added.
//
// Which points stay depends on their steps and sizes alone: a run that was interrupted ends with
// the same file as one that was not. A point that could not be written is tried again with the next
// one and with every checkpoint, which carries it meanwhile.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files/OpenFolder.h"
#include "core/training/evolution/EvolutionTypes.h"

namespace headlight {

class EvolutionLog {
 public:
  /// At most `mostBytes` for the points that are measured every `interval` steps.
  EvolutionLog(OpenFolder folder, std::string run, std::int64_t mostBytes, std::int64_t interval)
      : m_folder(std::move(folder)),
        m_run(std::move(run)),
        m_mostBytes(mostBytes),
        m_interval(interval) {}

  /// Whether a measurement at `step` is kept.
  bool wants(std::int64_t step) const {
    return !m_off && step % (m_interval * m_stride) == 0 && step > lastStep();
  }
  /// Whether points of the run are still to be written, or were lost because too many were.
  bool owes() const { return !m_off && (!m_waiting.empty() || m_lost || m_unsynced); }
  bool lost() const { return m_lost; }
  /// Whether anything can be kept here at all.
  bool isOff() const { return m_off; }
  /// For the newest point, whether it is written or waits; −1: there is none.
  std::int64_t lastStep() const {
    return m_waiting.empty() ? writtenStep() : m_waiting.back().step;
  }

  /// Adds a point, or none where it is not wanted any more, unless it is the run's `last`. On an
  /// error the file still ends in a whole record. Errors: Io (the point then waits), InvalidFile
  /// where another run's file is there, or one of other images, InvalidArgument where two points
  /// exceed the bound.
  Result<void> add(const EvolutionBeginning& beginning, const EvolutionPoint& point,
                   bool last = false);
  /// Tries again what waits, and returns once all of it is on the disk.
  Result<void> sync();
  /// Drops the points after `step` (negative: everything) before a run goes on from there. Errors:
  /// as add(); the file is then left as it is.
  Result<void> cutTo(std::int64_t step);

  /// What waits, for a checkpoint to carry: contents of records by "beginning" and by their steps.
  /// The last point of a run is not among them: whoever ends the run measures it again.
  std::map<std::string, std::string> unwritten() const;
  /// Takes what an earlier process left unwritten, after cutTo(). Errors: InvalidFile for anything
  /// else.
  Result<void> owe(const std::map<std::string, std::string>& unwritten);

 private:
  struct Place {
    std::int64_t step = 0, offset = 0, size = 0;
  };
  struct Waiting {
    std::int64_t step = 0;
    std::string content;
    bool last = false;
  };

  std::int64_t writtenStep() const { return m_points.empty() ? -1 : m_points.back().step; }
  void open();
  void readAvailable(const FileDescriptor& file);
  void requireSameImages();
  void wait(Waiting point);
  void writeWaiting();
  void write(const Waiting& point);
  void flush();
  void makeRoom(std::int64_t bytes);
  void keepEvery(std::int64_t stride);
  void append(const std::string& bytes);
  std::string head(std::int64_t stride) const;

  OpenFolder m_folder;
  std::string m_run;
  std::int64_t m_mostBytes, m_interval, m_stride = 1;
  bool m_read = false;     ///< what lies in the folder is known
  bool m_off = false;      ///< nothing can be kept here: another run's file, or too little room
  std::int64_t m_end = 0;  ///< of what is whole
  std::optional<EvolutionBeginning> m_beginning;  ///< of the file
  std::optional<EvolutionBeginning> m_offered;    ///< of the points that came
  std::vector<Place> m_points;
  std::vector<Waiting> m_waiting;  ///< that could not be written yet
  bool m_lost = false, m_unsynced = false;
  FileDescriptor m_file;
};

}  // namespace headlight
