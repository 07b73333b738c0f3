// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/data/CifarBinary.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <system_error>

#include "core/base/Log.h"
#include "core/base/Translation.h"
#include "core/base/files/Files.h"
#include "core/data/CifarPickle.h"
#include "core/data/files/DataStamp.h"
#include "core/data/files/SampleErrors.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

constexpr int kSide = 32;
constexpr std::size_t kPlane = kSide * kSide;
constexpr std::uintmax_t kMaxFileBytes = 512u << 20;  // CIFAR-100's train.bin is 147 MiB
constexpr std::uintmax_t kMaxNamesBytes = 1u << 20;

struct Format {
  int classCount = 10;
  bool python = false;  ///< pickles (CifarPickle.h), which have no ending
  std::size_t labelBytes() const { return classCount == 100 ? 2 : 1; }
  std::size_t recordBytes() const { return labelBytes() + 3 * kPlane; }
  std::string archiveFolder() const {
    if (python) return classCount == 100 ? "cifar-100-python" : "cifar-10-batches-py";
    return classCount == 100 ? "cifar-100-binary" : "cifar-10-batches-bin";
  }
  std::string namesFile() const {
    if (python) return classCount == 100 ? "meta" : "batches.meta";
    return classCount == 100 ? "fine_label_names.txt" : "batches.meta.txt";
  }
  std::vector<std::string> trainFiles() const {
    if (classCount == 100) return {"train" + ending()};
    std::vector<std::string> names;
    for (int i = 1; i <= 5; ++i)
      names.push_back("data_batch_" + std::to_string(i) + ending());
    return names;
  }
  std::string testFile() const { return (classCount == 100 ? "test" : "test_batch") + ending(); }
  std::string ending() const { return python ? "" : ".bin"; }
};

bool isFile(const fs::path& path) {
  std::error_code code;
  return fs::is_regular_file(path, code);
}

/// Where the files lie: `path`, or the archive's folder in it; empty if neither.
fs::path folderOf(const fs::path& path, const Format& format) {
  for (const fs::path& folder : {path, path / format.archiveFolder()})
    for (const std::string& name : {format.trainFiles().front(), format.testFile()})
      if (isFile(folder / name)) return folder;
  return {};
}

std::vector<std::string> defaultNames(const Format& format) {
  if (format.classCount == 10)
    return {"airplane", "automobile", "bird",  "cat",  "deer",
            "dog",      "frog",       "horse", "ship", "truck"};
  std::vector<std::string> names;
  for (int i = 0; i < format.classCount; ++i)
    names.push_back(std::to_string(i));
  return names;
}

std::vector<std::string> namesFromLines(const fs::path& path) {
  std::istringstream lines(valueOrThrow(readFile(path, kMaxNamesBytes)));
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) {
    line.erase(std::remove(line.begin(), line.end(), '\r'), line.end());
    if (!line.empty()) names.push_back(line);
  }
  return names;
}

std::vector<std::string> readNames(const fs::path& folder, const Format& format) {
  const fs::path path = folder / format.namesFile();
  if (!isFile(path)) return defaultNames(format);
  auto names = format.python ? readCifarPickleNames(path) : namesFromLines(path);
  if (names.size() != static_cast<std::size_t>(format.classCount))
    throw Failure({ErrorCode::InvalidFile,
                   "has " + std::to_string(names.size()) + tr(" class names; expected ") +
                       std::to_string(format.classCount),
                   path.string()});
  return names;
}

class CifarBinary : public LabeledDataset {
 public:
  CifarBinary(Format format, std::vector<std::string> names)
      : m_format(format), m_classNames(std::move(names)) {}

  void add(const fs::path& path) {
    std::string bytes = m_format.python ? recordsFrom(readCifarPickle(path))
                                        : valueOrThrow(readFile(path, kMaxFileBytes));
    const std::size_t record = m_format.recordBytes();
    if (bytes.empty() || bytes.size() % record != 0)
      throw Failure({ErrorCode::InvalidFile,
                     "is " + std::to_string(bytes.size()) + tr(" bytes, not a multiple of the ") +
                         std::to_string(record) + tr(" of one record; fetch it again"),
                     path.string()});
    for (std::size_t i = 0; i < bytes.size() / record; ++i) {
      const int label = labelIn(bytes, i);
      if (label >= m_format.classCount)
        throw Failure({ErrorCode::InvalidFile,
                       "record " + std::to_string(i) + tr(" has the label ") +
                           std::to_string(label) + tr("; the largest is ") +
                           std::to_string(m_format.classCount - 1),
                       path.string()});
      m_records.push_back({m_files.size(), i});
    }
    m_files.push_back({path, std::move(bytes)});
  }

  std::int64_t size() const override { return static_cast<std::int64_t>(m_records.size()); }
  const std::vector<std::string>& classNames() const override { return m_classNames; }
  int label(std::int64_t index) const override {
    const Record& record = m_records.at(index);
    return labelIn(m_files[record.file].bytes, record.number);
  }
  std::string describe(std::int64_t index) const override {
    const Record& record = m_records.at(index);
    return m_files[record.file].path.string() + " #" + std::to_string(record.number);
  }
  std::string stamp() const override {
    std::string stamp;
    for (const File& file : m_files)
      stamp = memoryStamp(file.bytes.data(), file.bytes.size(), stamp);
    return stamp;
  }
  Result<Sample> sample(std::int64_t index) const override {
    if (index < 0 || index >= size()) return noSample(index);
    const Record& record = m_records[index];
    const char* planes = m_files[record.file].bytes.data() +
                         record.number * m_format.recordBytes() + m_format.labelBytes();
    auto pixels = std::make_shared<std::vector<std::uint8_t>>(3 * kPlane);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t i = 0; i < kPlane; ++i)
        (*pixels)[3 * i + c] = static_cast<std::uint8_t>(planes[c * kPlane + i]);
    return Sample{{kSide, kSide, std::move(pixels)}, label(index)};
  }

 private:
  struct File {
    fs::path path;
    std::string bytes;
  };
  struct Record {
    std::size_t file = 0;
    std::size_t number = 0;
  };

  /// The records of the binary version; a label too large for a byte becomes one of no class.
  std::string recordsFrom(const CifarBatch& batch) const {
    std::string records;
    records.reserve(batch.labels.size() * m_format.recordBytes());
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
      records.append(m_format.labelBytes(), static_cast<char>(std::min(batch.labels[i], 255)));
      records.append(batch.planes, i * 3 * kPlane, 3 * kPlane);
    }
    return records;
  }
  int labelIn(const std::string& bytes, std::size_t number) const {
    return static_cast<std::uint8_t>(
        bytes[number * m_format.recordBytes() + m_format.labelBytes() - 1]);
  }

  Format m_format;
  std::vector<std::string> m_classNames;
  std::vector<File> m_files;
  std::vector<Record> m_records;
};

/// The training files that exist; a gap is worth a warning, none at all is an error.
std::vector<fs::path> trainingFiles(const fs::path& folder, const Format& format) {
  std::vector<fs::path> found;
  for (const std::string& name : format.trainFiles())
    if (isFile(folder / name)) found.push_back(folder / name);
  const std::size_t expected = format.trainFiles().size();
  if (found.empty())
    throw Failure({ErrorCode::NotFound,
                   "has " + format.testFile() + tr(" but no ") + format.trainFiles().front() +
                       tr("; add the training files"),
                   folder.string()});
  if (found.size() < expected)
    logWarning(folder.string() + ": " + std::to_string(found.size()) + " of the " +
               std::to_string(expected) + " training files are there; training uses only these");
  return found;
}

/// The Python version where its files lie there, else the binary one.
Format formatIn(const fs::path& path, int classCount) {
  const Format python{classCount, true};
  const fs::path folder = folderOf(path, python);
  for (const std::string& name : {python.trainFiles().front(), python.testFile()})
    if (!folder.empty() && isPickle(folder / name)) return python;
  return {classCount, false};
}

OpenedSource openCifarFiles(const DatasetSpec& spec, Split split, int classCount) {
  const Format format = formatIn(spec.path, classCount);
  const fs::path folder = folderOf(spec.path, format);
  if (folder.empty())
    throw Failure({ErrorCode::NotFound,
                   tr("there is no ") + format.trainFiles().front() + tr(" and no ") +
                       format.testFile() + tr(" here; give the folder of CIFAR-") +
                       std::to_string(classCount) + tr("'s binary or Python version"),
                   spec.path.string()});
  const bool ownValidation = isFile(folder / format.testFile());
  std::vector<fs::path> files;
  if (split == Split::Validation && ownValidation)
    files = {folder / format.testFile()};
  else
    files = trainingFiles(folder, format);
  auto dataset = std::make_unique<CifarBinary>(format, readNames(folder, format));
  for (const fs::path& file : files)
    dataset->add(file);
  const auto labels = readLabels(*dataset);
  if (std::set<int>(labels.begin(), labels.end()).size() < 2)
    throw Failure({ErrorCode::InvalidFile,
                   tr("all records have the same label; a classifier needs at least two classes"),
                   files.front().string()});
  return {std::move(dataset), !ownValidation};
}

}  // namespace

Result<OpenedSource> openCifar(const DatasetSpec& spec, Split split, int classCount) {
  return guarded(spec.path.string(), [&] { return openCifarFiles(spec, split, classCount); });
}

bool looksLikeCifar(const fs::path& path, int classCount) {
  const Format format = formatIn(path, classCount);
  const fs::path folder = folderOf(path, format);
  if (folder.empty() || format.python) return !folder.empty();
  // "train.bin" alone says little; its size does.
  for (const std::string& name : {format.trainFiles().front(), format.testFile()}) {
    std::error_code code;
    const std::uintmax_t bytes = fs::file_size(folder / name, code);
    if (!code && bytes > 0 && bytes % format.recordBytes() == 0) return true;
  }
  return false;
}

}  // namespace headlight
