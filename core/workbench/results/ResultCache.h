// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// What was measured on datasets, kept beside model, masks, images and date, so that nobody has
// to wait for it twice: a folder with a JSON file for each, which window and commands share. No
// torch type here.

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/Result.h"
#include "core/config/Parameter.h"
#include "core/masks/MaskScheme.h"
#include "core/workbench/evaluation/ImageSample.h"
#include "core/workbench/session/InferenceSession.h"

namespace headlight {

/// What a result is of. Names are for people: two keys are equal where all else is.
struct ResultKey {
  std::string kind;    ///< "accuracy", "scores", "heads", "similarity" or "castling"
  std::string detail;  ///< of heads the measure's name; else empty
  std::string model;   ///< its name
  std::string scheme;  ///< its name
  std::string dataset;
  std::string path;          ///< of the dataset, whole; empty where it has none
  std::int64_t samples = 0;  ///< at most so many images; 0: all
  /// Digests: of config and weights; of every head's mask; of how the dataset is read and of what
  /// lies in its folder (names, sizes, times).
  std::string weights, masks, data;

  bool operator==(const ResultKey& other) const;
};

/// Errors: no memory.
Result<ResultKey> resultKey(InferenceSession& session, const ImageSample& sample,
                            const MaskScheme& masks, const std::string& kind,
                            const std::string& detail = {});

struct CachedResult {
  ResultKey key;
  std::string measured;  ///< when (utcNow())
  Json result;
};

/// As a file has it, and read back from there: `name` is for messages. What the result itself says
/// is not looked at. Errors: InvalidConfig where it is no JSON, InvalidFile, UnsupportedFile (of
/// another version).
std::string keptResultText(const CachedResult& kept);
Result<CachedResult> keptResultFromText(const std::string& text, const std::string& name);

/// May be asked from any thread, and by several programs at once.
class ResultCache {
 public:
  static constexpr std::size_t kMostResults = 200;  ///< the oldest leave
  static constexpr std::size_t kMostOfAKind = 100;
  static constexpr std::size_t kMostBytes = 8u << 20;  ///< of one; a larger one is not kept

  /// The folder need not exist. Without one, results are kept as long as this lives.
  explicit ResultCache(std::filesystem::path folder) : m_folder(std::move(folder)) {}
  /// The person's own (core/base/files/UserFolders.h), "results" in it.
  static std::filesystem::path defaultFolder();
  const std::filesystem::path& folder() const { return m_folder; }

  /// Nothing where none is kept. A file that is damaged, or of something else than its name says,
  /// is none, and that is logged.
  std::optional<CachedResult> find(const ResultKey& key) const;
  /// In place of one of the same key. Error: Io, or a result that no file can hold.
  Result<void> keep(const CachedResult& kept) const;
  void remove(const ResultKey& key) const;

  /// All that can be read, the newest first. Error: Io.
  Result<std::vector<CachedResult>> list() const;
  /// How many were removed. Error: Io.
  Result<std::size_t> clear() const;

 private:
  std::optional<CachedResult> read(const std::string& name) const;
  std::vector<std::string> names() const;
  void makeRoom() const;

  std::filesystem::path m_folder;
  mutable std::mutex m_mutex;
  mutable std::map<std::string, std::string> m_kept;  ///< by name, where there is no folder
};

}  // namespace headlight
