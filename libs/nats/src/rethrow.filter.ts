import { Catch, type ExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Lets what a handler threw reach the rpc server as it is. Without it Nest logs everything but its own exceptions and
 * hands on a bare «Internal server error», and every refusal would become INTERNAL.
 */
@Catch()
export class RethrowFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
