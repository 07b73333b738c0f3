// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Images of a place, each with its class: what class folders and lists of labels both give.

#include <memory>
#include <string>
#include <vector>

#include "core/data/Subset.h"
#include "core/data/files/FilePlace.h"

namespace headlight {

class LabeledFiles : public LabeledDataset {
 public:
  /// `folder`: where the files lie, for the stamp.
  LabeledFiles(std::shared_ptr<const FilePlace> place, std::string folder,
               std::vector<std::string> classNames)
      : m_place(std::move(place)),
        m_folder(std::move(folder)),
        m_classNames(std::move(classNames)) {}

  void setNotes(std::vector<std::string> notes) { m_notes = std::move(notes); }
  /// `name` in the place; `label` in [0, classNames().size()).
  void add(std::string name, int label) { m_files.push_back({std::move(name), label}); }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }
  const std::vector<std::string>& classNames() const override { return m_classNames; }
  int label(std::int64_t index) const override { return m_files.at(index).label; }
  std::string describe(std::int64_t index) const override {
    return m_place->path(m_files.at(index).name).string();
  }
  bool reachable() const override { return m_place->reachable(); }
  std::string stamp() const override;
  std::vector<std::string> notes() const override { return m_notes; }
  Result<Sample> sample(std::int64_t index) const override;
  Result<SamplePart> part(std::int64_t index, const ChoosePart& choose) const override;

 private:
  struct File {
    std::string name;
    int label = 0;
  };
  Result<std::string> bytes(std::int64_t index) const;

  std::shared_ptr<const FilePlace> m_place;
  std::string m_folder;
  std::vector<std::string> m_classNames;
  std::vector<std::string> m_notes;
  std::vector<File> m_files;
};

}  // namespace headlight
