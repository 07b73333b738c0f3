// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A file of tensors that is open: which dictionaries it holds, before any tensor is read. Internal.

#include <ATen/core/Tensor.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/checkpoint/Checkpoint.h"
#include "core/checkpoint/TensorNests.h"

namespace headlight {

class TensorFile {
 public:
  virtual ~TensorFile() = default;

  /// Tensor `index` of dictionary `nest`: on the CPU, contiguous. Throws Failure.
  virtual at::Tensor read(std::size_t nest, std::size_t index) = 0;
  /// The same without its numbers: of its dtype and shape, and of no size. Throws Failure where the
  /// tensors that were asked for are together far larger than the file.
  virtual at::Tensor outline(std::size_t nest, std::size_t index) = 0;

  const std::string& name() const { return m_name; }
  const std::vector<TensorNest>& nests() const { return m_nests; }

  /// An entry at the file's top, or of a dictionary, that is no tensor and holds none.
  struct Other {
    std::string nest;  ///< TensorNest::path that it lies in
    std::string name;
    std::string what;  ///< "a number"
  };
  const std::vector<Other>& others() const { return m_others; }
  const std::map<std::string, std::string>& metadata() const { return m_metadata; }
  const std::string& format() const { return m_format; }
  const std::vector<std::string>& notes() const { return m_notes; }

 protected:
  TensorFile(std::string name, std::string format)
      : m_name(std::move(name)), m_format(std::move(format)) {}
  /// One number that stands for all.
  static at::Tensor makeOutline(const std::vector<std::int64_t>& shape, c10::ScalarType dtype);
  /// Its names lose what wrappers put inside them (withoutWrappers).
  void addNest(TensorNest nest);

  std::vector<Other> m_others;
  std::map<std::string, std::string> m_metadata;
  std::vector<std::string> m_notes;

 private:
  std::string m_name;
  std::string m_format;
  std::vector<TensorNest> m_nests;
};

/// The files of one checkpoint: one, or its shards. A dictionary of the same path in several is one.
using TensorFiles = std::vector<std::unique_ptr<TensorFile>>;

/// Reads what `take` names, or the best (chooseNest). Throws Failure.
Checkpoint takeTensors(const TensorFiles& files, const std::string& take);
/// The same with outlines. `takeTensors` may still refuse the bytes.
Checkpoint takeShapes(const TensorFiles& files, const std::string& take);

}  // namespace headlight
