// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Features that were computed once, in one file for each key: a header that names the key, then
// records of a content's digest, its numbers and a checksum, added batch by batch, so that work
// that was stopped goes on. No torch type here.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/base/Result.h"
#include "core/base/files/OpenFolder.h"
#include "core/workbench/adapt/FeatureKey.h"

namespace headlight {

/// Where features are kept.
struct FeaturePlace {
  /// A file of the person's; empty: in `folder`, by the key.
  std::filesystem::path file = {};
  /// Files of all keys, of which the oldest leave; empty: nothing is kept.
  std::filesystem::path folder = {};

  /// The person's own cache (core/base/files/UserFolders.h), "features" in it.
  static FeaturePlace ofUser();
};

class FeatureStore {
 public:
  static constexpr std::uintmax_t kMostBytes = 2ull << 30;        ///< of a file
  static constexpr std::uintmax_t kMostFolderBytes = 4ull << 30;  ///< of a folder of them

  /// What is kept there. What is damaged is left out, which notes() say; in the folder, what cannot
  /// be read or is another's is no error. Throws Failure: the person's file is one of another model
  /// or other masks (InvalidArgument), none of features (InvalidFile), or cannot be opened.
  FeatureStore(const FeaturePlace& place, const FeatureKey& key);

  /// width() numbers, valid until the next add(); null where there are none. `digest`: 64
  /// hexadecimal digits.
  const float* find(const std::string& digest) const;
  /// Kept in memory, and on disk as far as that goes: a full disk ends that, which notes() say.
  void add(const std::string& digest, const float* values);

  std::int64_t width() const { return m_key.width; }
  std::size_t size() const { return m_places.size(); }
  /// What a person should know.
  const std::vector<std::string>& notes() const { return m_notes; }

 private:
  void open(const FeaturePlace& place);
  void openIn(const std::filesystem::path& folder, const std::string& name);
  void takeContent(const std::string& content);
  void takeRecords(const std::string& content, std::size_t from);
  void startFile();
  void cut(std::uintmax_t size);
  void append(const std::string& bytes);
  void stopKeeping(const std::string& why);
  std::size_t recordBytes() const;

  FeatureKey m_key;
  bool m_named;  ///< the person's file
  std::filesystem::path m_path;
  FileDescriptor m_file;  ///< not valid: nothing is kept on disk any more
  std::uintmax_t m_bytes = 0;
  std::unordered_map<std::string, std::size_t> m_places;  ///< of a digest, in m_values
  std::vector<float> m_values;
  std::vector<std::string> m_notes;
};

}  // namespace headlight
