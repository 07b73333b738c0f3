// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Videos and cameras, and films that are written: all of it for programs. Frames by address
// ("clip.avi[12]"): workbench/loading/Input.h.

#include "core/imaging/video/FilmFile.h"
#include "core/imaging/video/VideoReader.h"
