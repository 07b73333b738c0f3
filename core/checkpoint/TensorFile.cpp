// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/checkpoint/TensorFile.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "core/base/Text.h"
#include "core/base/Translation.h"
#include "core/checkpoint/Refusal.h"

namespace headlight {
namespace {

constexpr std::size_t kMostNamed = 8;
constexpr std::size_t kMostListed = 1000;

/// Where a tensor of the joined dictionaries lies.
struct Place {
  std::size_t file = 0, nest = 0, index = 0;
};
struct Joined {
  std::vector<TensorNest> nests;
  std::vector<std::vector<Place>> places;  ///< as the nests' names
};

Joined join(const TensorFiles& files) {
  Joined joined;
  std::unordered_map<std::string, std::size_t> byPath;
  for (std::size_t f = 0; f < files.size(); ++f)
    for (std::size_t n = 0; n < files[f]->nests().size(); ++n) {
      const TensorNest& nest = files[f]->nests()[n];
      const auto [found, fresh] = byPath.emplace(nest.path, joined.nests.size());
      if (fresh) joined.nests.push_back({nest.path, {}}), joined.places.emplace_back();
      for (std::size_t i = 0; i < nest.names.size(); ++i) {
        joined.nests[found->second].names.push_back(nest.names[i]);
        joined.places[found->second].push_back({f, n, i});
      }
    }
  return joined;
}

/// "a, b, c and 7 more", with what each is.
std::string listed(const std::vector<std::string>& parts) {
  return joined(parts, kMostNamed);
}

/// The name that the model's tensor has; empty for one that is beside the model.
std::string nameInModel(const std::string& name, const NestedModel& model) {
  if (!model.known) return name;
  return name.starts_with(model.prefix) ? name.substr(model.prefix.size()) : std::string();
}

class Taking {
 public:
  Taking(const TensorFiles& files, const std::string& take)
      : m_files(files),
        m_joined(join(files)),
        m_where(files.front()->name()),
        m_ranked(rankNests(m_joined.nests)) {
    if (m_ranked.empty())
      refuse(m_where, tr("holds a dictionary without tensors; in Python, save model.state_dict()"),
             ErrorCode::UnsupportedFile);
    m_model = chooseNest(m_ranked, m_joined.nests, take, m_where);
  }

  using Read = std::function<at::Tensor(TensorFile&, const Place&)>;

  Checkpoint run(const Read& read) {
    Checkpoint checkpoint;
    checkpoint.format = m_files.front()->format();
    checkpoint.source = nest().path;
    checkpoint.prefix = m_model.prefix;
    for (const auto& file : m_files)
      checkpoint.metadata.insert(file->metadata().begin(), file->metadata().end());
    readTensors(read, checkpoint);
    listChoices(checkpoint);
    listLeftAside(checkpoint);
    for (const auto& file : m_files)
      checkpoint.notes.insert(checkpoint.notes.end(), file->notes().begin(), file->notes().end());
    return checkpoint;
  }

 private:
  const TensorNest& nest() const { return m_joined.nests[m_model.nest]; }

  void readTensors(const Read& read, Checkpoint& checkpoint) {
    std::unordered_map<std::string, std::size_t> fileOf;
    if (nest().names.size() > kMaxTensors)
      refuse(m_where, tr("holds more than ") + std::to_string(kMaxTensors) +
                          tr(" tensors, the most that are read here"));
    for (std::size_t i = 0; i < nest().names.size(); ++i) {
      std::string name = nameInModel(nest().names[i], m_model);
      if (!m_model.known && checkpoint.format == "pth") name = withoutOuterWrappers(name);
      if (name.empty()) {
        m_beside.push_back(nest().names[i]);
        continue;
      }
      const Place& place = m_joined.places[m_model.nest][i];
      requirePlain(name, *m_files[place.file]);
      requireOnce(name, place.file, fileOf);
      checkpoint.tensors.emplace_back(std::move(name), read(*m_files[place.file], place));
    }
  }

  void requirePlain(const std::string& name, const TensorFile& file) const {
    if (!isPlainName(name))
      refuse(file.name(), "tensor " + inQuotes(name) +
                              tr(" has a name that is too long or holds control characters"));
  }

  void requireOnce(const std::string& name, std::size_t file,
                   std::unordered_map<std::string, std::size_t>& fileOf) const {
    const auto [found, fresh] = fileOf.emplace(name, file);
    if (fresh) return;
    if (found->second != file)
      refuse(m_files[file]->name(),
             "has " + inQuotes(name) + tr(", which another shard has too; download them again"));
    refuse(m_files[file]->name(),
           "tensor " + inQuotes(name) + tr(" occurs twice, with and without \"module.\""));
  }

  std::size_t tensorsOf(const NestedModel& model) const {
    const auto& names = m_joined.nests[model.nest].names;
    return static_cast<std::size_t>(std::count_if(
        names.begin(), names.end(), [&](const auto& n) { return n.starts_with(model.prefix); }));
  }

  bool isTaken(const NestedModel& model) const {
    return model.nest == m_model.nest && model.prefix == m_model.prefix;
  }

  void listChoices(Checkpoint& checkpoint) const {
    if (m_ranked.size() < 2) return;
    std::vector<std::string> names;
    for (const NestedModel& model : m_ranked) {
      if (checkpoint.choices.size() >= kMostListed) break;
      const std::string name = model.nameIn(m_joined.nests);
      checkpoint.choices.push_back({name, tensorsOf(model), isTaken(model)});
      names.push_back(inQuotes(name));
    }
    if (!m_model.known) return;
    const std::string name = m_model.nameIn(m_joined.nests);
    checkpoint.notes.push_back(tr("the file holds several models: ") + listed(names) +
                               tr("; took ") + inQuotes(name) +
                               (isAverage(name) ? tr(", the average or teacher") : std::string()) +
                               tr("; --take chooses another"));
  }

  /// Dictionaries and entries beside the one that was taken, and tensors beside the model in it.
  void listLeftAside(Checkpoint& checkpoint) const {
    std::vector<std::string>& aside = checkpoint.leftAside;
    for (std::size_t n = 0; n < m_joined.nests.size(); ++n)
      if (n != m_model.nest && aside.size() < kMostListed)
        aside.push_back(describe(m_joined.nests[n]));
    listBeside(aside);
    std::vector<std::string> skipped;
    for (const auto& file : m_files)
      for (const auto& other : file->others()) {
        const std::string text = inQuotes(other.name) + " (" + other.what + ")";
        if (other.nest == nest().path)
          skipped.push_back(text);
        else if (aside.size() < kMostListed)
          aside.push_back(text);
      }
    sayTaken(checkpoint);
    if (!skipped.empty())
      checkpoint.notes.push_back(tr("skipped, not tensors: ") + listed(skipped));
  }

  /// Tensors of the dictionary that are not the model's: those of its other models by prefix.
  void listBeside(std::vector<std::string>& aside) const {
    std::vector<std::string> rest = m_beside;
    for (const NestedModel& model : m_ranked) {
      if (model.nest != m_model.nest || !model.known || model.prefix.empty()) continue;
      const auto gone = std::erase_if(
          rest, [&](const std::string& name) { return name.starts_with(model.prefix); });
      if (gone > 0) aside.push_back(describe(model.prefix, gone));
    }
    for (const std::string& name : rest)
      if (aside.size() < kMostListed) aside.push_back(inQuotes(name));
  }

  static std::string describe(const std::string& name, std::size_t tensors) {
    return inQuotes(name) + " (" +
           countText(static_cast<std::int64_t>(tensors), tr("tensor"), tr("tensors")) + ")";
  }

  static std::string describe(const TensorNest& nest) {
    return describe(nest.path.empty() ? kTopOfFile : nest.path, nest.names.size());
  }

  void sayTaken(Checkpoint& checkpoint) const {
    std::string taken;
    if (!nest().path.empty()) addTo(taken, tr("took ") + inQuotes(nest().path));
    if (!m_model.prefix.empty())
      addTo(taken, tr("names without the prefix ") + inQuotes(m_model.prefix));
    if (!checkpoint.leftAside.empty())
      addTo(taken, tr("left aside ") + listed(checkpoint.leftAside), taken.empty() ? "" : "; ");
    if (!taken.empty()) checkpoint.notes.push_back(taken);
  }

  const TensorFiles& m_files;
  Joined m_joined;
  std::string m_where;
  std::vector<NestedModel> m_ranked;
  NestedModel m_model;
  std::vector<std::string> m_beside;
};

}  // namespace

void TensorFile::addNest(TensorNest nest) {
  for (std::string& name : nest.names)
    name = withoutWrappers(std::move(name));
  m_nests.push_back(std::move(nest));
}

at::Tensor TensorFile::makeOutline(const std::vector<std::int64_t>& shape, c10::ScalarType dtype) {
  return at::zeros({}, at::TensorOptions().dtype(dtype).device(at::kCPU)).expand(shape);
}

Checkpoint takeTensors(const TensorFiles& files, const std::string& take) {
  return Taking(files, take).run([](TensorFile& file, const Place& place) {
    return file.read(place.nest, place.index);
  });
}

Checkpoint takeShapes(const TensorFiles& files, const std::string& take) {
  return Taking(files, take).run([](TensorFile& file, const Place& place) {
    return file.outline(place.nest, place.index);
  });
}

}  // namespace headlight
