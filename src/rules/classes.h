// Axis classes of a rule: any number of axes under one name. They are put in as text before a rule is read,
// so that the terms of an instance are ordinary terms of a fixed rank.
//
//   ..b           in a list: the axes of class b, whole and untouched
//   N.c, i.c < n  in a list, a size, a requirement or an input's name: repeated for each axis of class c, N.c
//   being
//                 that axis' N
//   sum(..b) body, prod, max, min    over all indices of the class
//   all.c(P)      a condition: P for each axis of c
//   sum.c(k.c < N.c) body    a sum (prod, max, min) over all axes of c
//
// What leads from the ranks that are proved to every rank:
//   opaque   a class that occurs as ..b alone, at the same places of each tensor's list wherever the tensor
//   is
//            declared and read, and at the same places of both results. For each value of the class' indices,
//            an instance of any rank is then the instance of rank 0 on the tensors restricted to that value,
//            so that rank 0 proves every rank.
//   summed   an opaque class with sum(..b) and its kin. Nothing tells the indices of its axes from one index
//   over the
//            set of their tuples, which may be any finite set; so rank 1 proves every rank.
//   bounded  a class with attributes in a rule without reductions, whose conditions on the class are all.c
//   alone. A counterexample of any rank reads finitely many elements. Keep, for each pair of different reads
//   of one tensor, an axis on which they differ, for each condition that is false an axis on which it is
//   false, and one axis on which a read is out of bounds: the rest of the axes can be dropped and it is still
//   a counterexample. So ranks 0 to k prove every rank, k being their number. Conditions and reads are
//   counted with definitions put in, since a definition may be read at several places, and before anything is
//   simplified that holds of one axis: all.c(P) or all.c(not P) is true at rank 1 and not at rank 2.
//   none     ranks 0 to 3 are claimed and no others.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace hallmark::rules {

struct AxisClass {
  std::string name;
  bool opaque = false;
  bool attributes = false;  // .c occurs
  bool summed = false;      // sum(..c) or its kin occurs
};

// The classes that `class NAME, ...` lines declare. `opaque` is set where the argument above applies.
std::vector<AxisClass> classes_of(const std::string& body);

// The text of the instance with these ranks. Lines keep their numbers.
std::string with_ranks(const std::string& body, const std::map<std::string, int>& ranks);

// The text of the instance of rank 1 of every class, in which all.NAME(P) of the class stands for an element
// of `truths`, a tensor bool[2] that is declared nowhere, at 1 where P holds and at 0 otherwise. So two
// conditions are one term only where they ask the same of each axis, and nothing else is known of them.
std::string with_conditions_open(const std::string& body, const std::vector<AxisClass>& classes,
                                 const std::string& name, const std::string& truths);

// Whether the bounded argument speaks of the class: it has attributes and no ..NAME, the text has no
// reduction and uses .NAME in lists and all.NAME alone, and no read happens as often as there are axes, save
// of a tensor that each axis has for itself.
bool is_bounded(const std::string& body, const std::vector<AxisClass>& classes, const std::string& name);

}  // namespace hallmark::rules
