// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The model that another one learns from (DeiT, Touvron et al. 2021, §4).

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/imaging/Preprocess.h"
#include "core/models/backbones/Model.h"

namespace headlight {

/// Never learns: evaluation mode, no gradients, no random number drawn.
class Teacher {
 public:
  /// `classOrder`: the teacher's class of every class of the student; empty: they are the same.
  Teacher(std::shared_ptr<Model> model, Preprocessing expects, Preprocessing student,
          std::vector<std::int64_t> classOrder = {});

  /// Logits [B, C] in the student's classes, of images [B, 3, H, W] as the student sees them,
  /// augmentation included. They are brought to the teacher's normalization and size first: the
  /// student's mean and deviation undone, the teacher's applied, and resized (bicubic, antialiased)
  /// where the two differ.
  at::Tensor logits(const at::Tensor& images);

  /// What the teacher is given of such images.
  at::Tensor adapted(const at::Tensor& images) const;
  bool resizes() const;

 private:
  std::shared_ptr<Model> m_model;
  Preprocessing m_expects, m_student;
  std::vector<std::int64_t> m_classOrder;
};

}  // namespace headlight
