import { Body, Controller, HttpCode, Post } from "@nestjs/common";
import { observe } from "@obspan/sdk";
import { SupportService } from "./support.service.js";

@Controller()
export class SupportController {
  constructor(private readonly supportService: SupportService) {}

  @observe("POST /ask")
  @Post("ask")
  @HttpCode(200)
  async ask(@Body("question") question: string) {
    return { answer: await this.supportService.answer(question) };
  }

  @Post("ask-again")
  @HttpCode(200)
  @observe("POST /ask-again")
  async askAgain(@Body("question") question: string) {
    return { answer: await this.supportService.answer(question) };
  }
}
